/** Logs of other machines: the guess where their files are here is asked about once, and the answer is remembered. */
import * as path from 'node:path';
import type { MappedPath, PathCandidate } from '../protocol.gen';
import { isInside } from './source-path';

export type Answer = PathCandidate | 'never' | undefined;

export interface GuessHost {
  /** Folders of other machines that the user does not want to be asked about. */
  refused: () => readonly string[];
  refuse: (there: string) => Promise<void>;
  /** Asks which of the candidates it is, or which other folder. */
  ask: (candidates: readonly PathCandidate[]) => Promise<Answer>;
  /** Writes what is right into the settings. */
  remember: (mapping: MappedPath) => Promise<void>;
}

export class Guesses {
  readonly #asked = new Set<string>();

  constructor(private readonly host: GuessHost) {}

  /** Takes the server's guess: candidates that fit equally well. Each folder is asked about once a session. */
  async told(candidates: readonly PathCandidate[]): Promise<void> {
    const refused = this.host.refused();
    const wanted = candidates.filter(({ there }) => !refused.includes(there) && !this.#asked.has(there));
    if (wanted.length === 0) return;
    for (const { there } of wanted) this.#asked.add(there);
    const answer = await this.host.ask(wanted);
    if (answer === undefined) return;
    if (answer === 'never') for (const { there } of wanted) await this.host.refuse(there);
    else await this.host.remember({ there: answer.there, here: answer.here });
  }
}

export interface SetMapping {
  from: string;
  to: string;
}

/** What is set after `mapping` is added: it takes the place of what was set for the same folder. */
export function added(set: readonly SetMapping[], mapping: SetMapping): SetMapping[] {
  return [...set.filter(({ from }) => from !== mapping.from), mapping];
}

/** A folder as it is written into the settings: relative to the workspace folder that it is in, so that it can be shared. */
export function written(here: string, folders: Readonly<Record<string, string>>): string {
  const names = Object.keys(folders);
  const name = names.find((one) => here === folders[one] || isInside(here, [folders[one] ?? '']));
  const folder = name === undefined ? undefined : folders[name];
  if (name === undefined || folder === undefined) return here;
  const variable = names.length === 1 ? '${workspaceFolder}' : `\${workspaceFolder:${name}}`;
  const below = path.relative(folder, here).replaceAll('\\', '/');
  return below === '' ? variable : `${variable}/${below}`;
}

/** The entries of a setting that say something: what is none is left out. */
export function mappingsIn(setting: unknown): SetMapping[] {
  const all = Array.isArray(setting) ? (setting as unknown[]) : [];
  return all.flatMap((one) => {
    const { from, to } = (one ?? {}) as Record<string, unknown>;
    return typeof from === 'string' && typeof to === 'string' ? [{ from, to }] : [];
  });
}

export const SOURCE_SCHEME = 'compilescope-log-source';

/** Parts of the address of what the recordings have of a file that is not here. */
export function logSourceParts(file: string): { scheme: string; path: string; query: string } {
  const name = /([^\\/]+?)(?:\.py)?$/.exec(file)?.[1] ?? 'source';
  return { scheme: SOURCE_SCHEME, path: `/${name} (log).py`, query: JSON.stringify(file) };
}

/** The file of such an address; undefined when it is none. */
export function fileIn(query: string): string | undefined {
  try {
    const file: unknown = JSON.parse(query);
    return typeof file === 'string' ? file : undefined;
  } catch {
    return undefined;
  }
}
