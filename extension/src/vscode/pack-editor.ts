/** Opens a `*.compilescope` file as the current recording, with a page that says what it holds. */
import { randomBytes } from 'node:crypto';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Frame } from '../core/pack-page';
import { PAGE_COMMANDS, packPage, problemPage, waitingPage } from '../core/pack-page';
import { PROBLEM_COMMANDS, onlyOnDisk, openingGivenUp, problemOf } from '../core/problem';
import type { Server } from '../core/server';
import type { Views } from './views';

export const PACK_VIEW = 'compilescope.pack';

interface Pack extends vscode.CustomDocument {
  readonly uri: vscode.Uri;
}

class PackEditor implements vscode.CustomReadonlyEditorProvider<Pack> {
  constructor(
    private readonly server: Server,
    private readonly views: Views,
  ) {}

  openCustomDocument(uri: vscode.Uri): Pack {
    return { uri, dispose: () => undefined };
  }

  async resolveCustomEditor({ uri }: Pack, panel: vscode.WebviewPanel): Promise<void> {
    panel.webview.options = { enableScripts: false, enableCommandUris: [...PAGE_COMMANDS, ...PROBLEM_COMMANDS] };
    const frame = (): Frame => ({
      title: path.basename(uri.path),
      nonce: randomBytes(16).toString('base64'),
      language: vscode.env.language,
    });
    panel.webview.html = waitingPage(frame());
    panel.webview.html = await this.#page(uri, frame).catch((error: unknown) => problemPage(frame(), problemOf(error)));
  }

  async #page(uri: vscode.Uri, frame: () => Frame): Promise<string> {
    if (uri.scheme !== 'file') return problemPage(frame(), onlyOnDisk);
    const opened = await this.server.request('compilescope/openRecording', { path: uri.fsPath });
    if (opened.problem !== null) return problemPage(frame(), opened.problem);
    if (opened.recording === null) return problemPage(frame(), openingGivenUp);
    await this.views.update(opened.recording);
    this.views.follow(opened.recording);
    await this.views.reveal(opened.recording, null);
    const detail = await this.server.request('compilescope/runDetail', { recording: opened.recording });
    return packPage(frame(), detail);
  }
}

export function registerPackEditor(server: Server, views: Views): vscode.Disposable {
  return vscode.window.registerCustomEditorProvider(PACK_VIEW, new PackEditor(server, views), {
    supportsMultipleEditorsPerDocument: true,
    webviewOptions: { enableFindWidget: true },
  });
}
