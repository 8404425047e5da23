/** Generated code as documents: what the code panel's menu opens and copies. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { CODE_SCHEME, codeAddress, codeAddressIn, codeUriParts } from '../core/code-uri';
import { problemOf } from '../core/problem';
import type { Server } from '../core/server';
import type { CodeAddress } from '../shared/messages';
import { columnFor } from './sources';

/** Texts by address. What was fetched once stays right: a recording's code never changes. */
export function registerGeneratedCode(server: Server): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(CODE_SCHEME, {
    async provideTextDocumentContent(uri) {
      const address = codeAddressIn(uri.query);
      if (address === undefined) return l10n.t('# not the address of generated code\n');
      try {
        return await textAt(server, address);
      } catch (error) {
        const { title, detail } = problemOf(error);
        return `# ${title}\n# ${detail}\n`;
      }
    },
  });
}

async function textAt(server: Server, { kind, kernel, ...address }: CodeAddress): Promise<string> {
  const { recording, compileId, graph, preview } = address;
  const none = l10n.t('# The recording does not have this code.\n');
  if (kernel === null) {
    const { texts } = await server.request('compilescope/code', {
      recording,
      compileId,
      graph,
      file: null,
      line: null,
    });
    return texts.find((one) => one.kind === kind)?.text ?? none;
  }
  const ask = { recording, compileId, graph, kernel, preview };
  const { stages } = await server.request('compilescope/kernelStages', ask);
  return stages.find((one) => one.stage === kind)?.text ?? none;
}

/** Opens the text that a context menu names, at its row. */
export async function openGeneratedCode(argument: unknown): Promise<void> {
  const address = codeAddress(argument);
  if (address === undefined) return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.from(codeUriParts(address)));
  const { row } = (argument ?? {}) as { row?: unknown };
  const line = Math.min(typeof row === 'number' && row > 0 ? row : 0, document.lineCount - 1);
  await vscode.window.showTextDocument(document, {
    selection: document.lineAt(line).range,
    viewColumn: columnFor(document),
    preview: true,
  });
}

/** Puts the text that a context menu names on the clipboard. */
export async function copyText(argument: unknown): Promise<void> {
  const { text } = (argument ?? {}) as { text?: unknown };
  if (typeof text === 'string') await vscode.env.clipboard.writeText(text);
}
