/** Logs of other machines in VS Code: the setting, the question where their files are, and what a log has of a file. */
import * as l10n from '@vscode/l10n';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Answer } from '../core/elsewhere';
import { Guesses, SOURCE_SCHEME, added, fileIn, logSourceParts, mappingsIn, written } from '../core/elsewhere';
import { problemOf } from '../core/problem';
import type { Server } from '../core/server';
import { fillIn } from '../core/variables';
import type { MappedPath, PathCandidate } from '../protocol.gen';
import type { ClientConnection } from './client';
import { onSettings } from './configuration';
import type { Sources } from './sources';

const SECTION = 'compilescope';
const REFUSED = 'compilescope.pathMappings.refused';

/** `compilescope.pathMappings`: folders here are absolute, those of the setting that are not are in the first folder. */
export function pathMappings(): MappedPath[] {
  const folders = foldersByName();
  const folder = Object.values(folders)[0];
  const places = { file: undefined, folder, folders, home: os.homedir(), environment: process.env };
  return mappingsIn(vscode.workspace.getConfiguration(SECTION).get<unknown>('pathMappings')).map(({ from, to }) => ({
    there: from,
    here: path.resolve(folder ?? os.homedir(), fillIn(to, places).trim()),
  }));
}

export class Elsewhere implements vscode.Disposable {
  readonly #disposables = [
    onSettings(['pathMappings'], () => void this.#set()),
    vscode.workspace.registerTextDocumentContentProvider(SOURCE_SCHEME, {
      provideTextDocumentContent: (uri) => this.#text(uri),
    }),
  ];
  readonly #guesses: Guesses;

  constructor(
    private readonly server: Server,
    memory: vscode.Memento,
    sources: Sources,
  ) {
    sources.whenMissing(async (file) => {
      const { known } = await server.request('compilescope/logSource', { file, recording: null });
      return known > 0 ? vscode.Uri.from(logSourceParts(file)) : undefined;
    });
    const refused = (): string[] => memory.get<string[]>(REFUSED, []);
    this.#guesses = new Guesses({
      refused,
      refuse: async (there) => {
        await memory.update(REFUSED, [...refused(), there]);
      },
      ask,
      remember,
    });
  }

  /** Takes the guesses of a server. */
  listen(connection: ClientConnection): void {
    connection.onNotification('compilescope/pathGuess', ({ candidates }) => void this.#guesses.told(candidates));
  }

  dispose(): void {
    for (const one of this.#disposables) one.dispose();
  }

  async #set(): Promise<void> {
    if (this.server.state.name !== 'running') return;
    await this.server.request('compilescope/setPathMappings', { mappings: pathMappings() });
  }

  async #text(uri: vscode.Uri): Promise<string> {
    const file = fileIn(uri.query);
    if (file === undefined) return '';
    try {
      return (await this.server.request('compilescope/logSource', { file, recording: null })).text;
    } catch (error) {
      const { title, detail } = problemOf(error);
      return `# ${title}\n# ${detail}\n`;
    }
  }
}

function foldersByName(): Record<string, string> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return Object.fromEntries(folders.map(({ name, uri }) => [name, uri.fsPath]));
}

async function ask(candidates: readonly PathCandidate[]): Promise<Answer> {
  const [first] = candidates;
  if (first === undefined) return undefined;
  const [use, never, choose] = [l10n.t('Use It'), l10n.t('Never'), l10n.t('Choose…')];
  const named = (one: PathCandidate): string => shortly(one.here);
  const only = candidates.length === 1;
  const question = only
    ? l10n.t('This log is from another machine: its {0} is here as {1}?', first.there, named(first))
    : l10n.t(
        'This log is from another machine, and its {0} may be here in {1} places: {2}.',
        first.there,
        String(candidates.length),
        candidates.map(named).join(', '),
      );
  const answer = await vscode.window.showInformationMessage(question, ...(only ? [use] : []), choose, never);
  if (answer === use) return first;
  if (answer === never) return 'never';
  return answer === choose ? chosen(candidates, first.there) : undefined;
}

/** One of the candidates, or another folder. */
async function chosen(candidates: readonly PathCandidate[], there: string): Promise<PathCandidate | undefined> {
  const items = candidates.map((candidate) => ({
    label: shortly(candidate.here),
    description: l10n.t('{0} of {1} lines are as in the log', String(candidate.agree), String(candidate.compared)),
    candidate,
  }));
  const other = { label: l10n.t('Another folder…'), description: '', candidate: undefined };
  const title = l10n.t('Where is {0} here?', there);
  const item = await vscode.window.showQuickPick([...items, other], { title });
  if (item === undefined || item.candidate !== undefined) return item?.candidate;
  const found = await vscode.window.showOpenDialog({ title, canSelectFiles: false, canSelectFolders: true });
  const here = found?.[0]?.fsPath;
  return here === undefined ? undefined : { there, here, files: 0, agree: 0, compared: 0 };
}

function shortly(folder: string): string {
  const folders = Object.values(foldersByName());
  const below = vscode.workspace.asRelativePath(folder);
  if (folders.length === 1 && folder === folders[0]) return '.';
  return folders.length === 1 && below !== folder ? `./${below}` : below;
}

async function remember({ there, here }: MappedPath): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const folders = foldersByName();
  const isOpen = Object.keys(folders).length > 0;
  const set = settings.inspect<unknown>('pathMappings');
  const own = mappingsIn(isOpen ? (set?.workspaceValue ?? set?.globalValue) : set?.globalValue);
  const target = isOpen ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.update('pathMappings', added(own, { from: there, to: written(here, folders) }), target);
}
