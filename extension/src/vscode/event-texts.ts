/** Events of a recording as read-only documents. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { EVENT_SCHEME, eventAddress, eventUriParts } from '../core/event-uri';
import { problemOf } from '../core/problem';
import type { EventPlace } from '../core/search';
import type { Server } from '../core/server';
import { columnFor } from './sources';

/** Texts by address. What is at a place of a log stays there. */
export function registerEventTexts(server: Server): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(EVENT_SCHEME, {
    async provideTextDocumentContent(uri) {
      const address = eventAddress(uri.query);
      if (address === undefined) return l10n.t('# not the address of an event\n');
      try {
        return (await server.request('compilescope/eventText', address)).text;
      } catch (error) {
        const { title, detail } = problemOf(error);
        return `# ${title}\n# ${detail}\n`;
      }
    },
  });
}

/** Opens an event at a place in its payload, which begins after the first empty line. */
export async function openEvent(recording: string, place: EventPlace): Promise<void> {
  const { log, offset, name, compileId } = place;
  const uri = vscode.Uri.from(eventUriParts({ recording, log, offset }, name, compileId));
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, {
    selection: document.validateRange(rangeIn(document, place)),
    viewColumn: columnFor(document),
    preview: true,
  });
}

function rangeIn(document: vscode.TextDocument, { line, column, length }: EventPlace): vscode.Range {
  if (line === 0) return new vscode.Range(0, 0, 0, 0);
  let first = 0;
  while (first < document.lineCount && document.lineAt(first).text !== '') first++;
  return new vscode.Range(first + line, column - 1, first + line, column - 1 + length);
}
