/** The entry point that VS Code calls. */
import './vscode/locale';
import type * as vscode from 'vscode';
import { App } from './vscode/app';
import { registerCommands } from './vscode/commands';

let app: App | undefined;

export function activate(context: vscode.ExtensionContext): void {
  app = new App(context.extensionUri, context.workspaceState);
  context.subscriptions.push(app, ...registerCommands(app));
  // What starting ends with is shown by the app; activation does not wait for it.
  void app.start();
}

export async function deactivate(): Promise<void> {
  await app?.stop();
}
