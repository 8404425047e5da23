/** Folders that are watched: those of the setting and those that a command named, told to the server. */
import * as l10n from '@vscode/l10n';
import type { Problem, WatchedFolder } from '../protocol.gen';
import type { Memory } from './opened-logs';

const KEY = 'watchedFolders';

export interface WatchingHost {
  /** Of this workspace: what a command named is watched after a reload, too. */
  memory: Memory;
  running: () => boolean;
  /** The folders of the setting. */
  wanted: () => readonly string[];
  watch: (path: string) => Promise<void>;
  unwatch: (path: string) => Promise<void>;
  /** Something about `folders` is other than before. */
  changed: () => void;
  report: (problem: Problem) => void;
}

export class Watching {
  #folders: readonly WatchedFolder[] = [];
  /** What was asked for, by where: a setting that changes takes only its own away. */
  readonly #named: Set<string>;
  #ofSetting: readonly string[] = [];

  constructor(private readonly host: WatchingHost) {
    this.#named = new Set(host.memory.get<string[]>(KEY, []));
  }

  /** What the server said last. */
  get folders(): readonly WatchedFolder[] {
    return this.#folders;
  }

  /** Watches a folder until it is stopped, also when the server starts again and in later sessions. */
  async start(path: string): Promise<void> {
    this.#named.add(path);
    await this.#remember();
    await this.host.watch(path);
  }

  async stop(path: string): Promise<void> {
    this.#named.delete(path);
    await this.#remember();
    await this.host.unwatch(path);
  }

  async #remember(): Promise<void> {
    await this.host.memory.update(KEY, this.#named.size > 0 ? [...this.#named] : undefined);
  }

  /** The server is ready: it knows no folder yet. */
  async restart(): Promise<void> {
    this.#ofSetting = [];
    this.told([]);
    for (const path of this.#named) await this.host.watch(path);
    await this.settingChanged();
  }

  /** Watches what the setting names now, and no longer what only it named before. */
  async settingChanged(): Promise<void> {
    if (!this.host.running()) return;
    const [before, now] = [this.#ofSetting, this.host.wanted()];
    this.#ofSetting = now;
    for (const path of before) if (!now.includes(path) && !this.#named.has(path)) await this.host.unwatch(path);
    for (const path of now) if (!before.includes(path)) await this.host.watch(path);
  }

  /** Takes the server's news; a folder that went or a job that broke off is a problem that is told once. */
  told(folders: readonly WatchedFolder[]): void {
    const known = new Map(this.#folders.map((one) => [one.path, one]));
    this.#folders = folders;
    for (const { path, ended } of folders) {
      if (ended === null || ended === known.get(path)?.ended) continue;
      this.host.report({
        code: 'watched-ended',
        title: l10n.t('The job that writes to {0} has ended in the middle of a compile.', path),
        detail: `${sentence(ended)} ${l10n.t('What was found stays on show.')}`,
        actions: ['compilescope.stopWatching'],
      });
    }
    const gone = folders.filter(({ path, state }) => state === 'gone' && known.get(path)?.state !== 'gone');
    for (const { path, words } of gone) {
      this.host.report({
        code: 'watched-gone',
        title: l10n.t('The watched folder {0} is gone.', path),
        detail: sentence(words),
        actions: ['compilescope.stopWatching'],
      });
    }
    this.host.changed();
  }
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** `Watching traces: 2 ranks · 12 compiles`, one line for each folder, `named` for people; empty when none is watched. */
export function watchingText(folders: readonly WatchedFolder[], named: (path: string) => string): string {
  return folders
    .map(({ path, words, polling }) =>
      polling === null
        ? l10n.t('Watching {0}: {1}', named(path), words)
        : l10n.t('Watching {0}: {1} (looked at now and then: {2})', named(path), words, polling),
    )
    .join('\n');
}
