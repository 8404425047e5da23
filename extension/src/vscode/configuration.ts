/** Settings, read where they are used, so that a change takes effect at once. */
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { isInside } from '../core/source-path';
import type { TraceSettings } from '../core/trace';
import type { Places } from '../core/variables';
import { fillIn } from '../core/variables';

const SECTION = 'compilescope';

export type StatusBarMode = 'auto' | 'always' | 'never';

function section(scope?: vscode.Uri): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(SECTION, scope ?? null);
}

function places(scope: vscode.Uri | undefined): Places {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = (scope && vscode.workspace.getWorkspaceFolder(scope)) ?? folders[0];
  return {
    file: scope?.fsPath,
    folder: folder?.uri.fsPath,
    folders: Object.fromEntries(folders.map((each) => [each.name, each.uri.fsPath])),
    home: os.homedir(),
    environment: process.env,
  };
}

/** `compilescope.interpreter` for a file; empty when it is not set. */
export function interpreterSetting(scope: vscode.Uri | undefined): string {
  return fillIn(section(scope).get('interpreter', ''), places(scope)).trim();
}

export function serverInterpreterSetting(): string {
  return fillIn(section().get('server.interpreter', ''), places(undefined)).trim();
}

export function traceSettings(script: string): TraceSettings {
  const uri = vscode.Uri.file(script);
  const settings = section(uri);
  const known = places(uri);
  const fill = (text: string): string => fillIn(text, known);
  const home = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? path.dirname(script);
  const cwd = fill(settings.get('cwd', '')).trim();
  const env = Object.entries(settings.get<Record<string, string>>('env', {}));
  return {
    args: settings.get<string[]>('args', []).map(fill),
    cwd: cwd === '' ? home : path.resolve(home, cwd),
    env: Object.fromEntries(env.map(([name, value]) => [name, fill(value)])),
    depth: settings.get<TraceSettings['depth']>('depth', 'full'),
    profile: settings.get('profile', false),
    timeoutSeconds: settings.get('timeout', 0),
  };
}

export function traceOnSave(scope: vscode.Uri): boolean {
  return section(scope).get('traceOnSave', false);
}

export function codeLensEnabled(scope: vscode.Uri): boolean {
  return section(scope).get('codeLens.enabled', true);
}

export function staticHintsEnabled(): boolean {
  return section().get('staticHints', false);
}

export function inlineTextEnabled(scope: vscode.Uri): boolean {
  return section(scope).get('inlineText', true);
}

/** `compilescope.watchFolders`: absolute, those of the setting that are not are in the first workspace folder. */
export function watchFolders(): string[] {
  if (!vscode.workspace.isTrusted) return [];
  const known = places(undefined);
  const folders = section().get<string[]>('watchFolders', []);
  const home = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? os.homedir();
  return folders.map((folder) => path.resolve(home, fillIn(folder, known).trim()));
}

export function statusBarMode(): StatusBarMode {
  return section().get<StatusBarMode>('statusBar', 'auto');
}

/** Calls `changed` when one of `keys` (without `compilescope.`) has another value. */
export function onSettings(keys: readonly string[], changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (keys.some((key) => event.affectsConfiguration(`${SECTION}.${key}`))) changed();
  });
}

/**
 * Writes a chosen interpreter (undefined: none) where it belongs: to the folder of the file, else to the workspace, else
 * to the user's settings. One inside the folder is written relative to it, so that the setting can be shared.
 */
export async function writeInterpreter(python: string | undefined, scope: vscode.Uri | undefined): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const own = scope && vscode.workspace.getWorkspaceFolder(scope);
  const folder = own ?? (folders.length === 1 ? folders[0] : undefined);
  const target =
    folders.length === 0
      ? vscode.ConfigurationTarget.Global
      : folders.length > 1 && own !== undefined
        ? vscode.ConfigurationTarget.WorkspaceFolder
        : vscode.ConfigurationTarget.Workspace;
  const inside = python !== undefined && folder !== undefined && isInside(python, [folder.uri.fsPath]);
  const value = inside
    ? `\${workspaceFolder}/${path.relative(folder.uri.fsPath, python).replaceAll('\\', '/')}`
    : python;
  await section(scope).update('interpreter', value, target);
}
