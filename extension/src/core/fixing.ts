/** Fixes: made, or tried first and made when they are proven; and what is said about it, with its ways on. */
import * as l10n from '@vscode/l10n';
import type { FixAndVerifyParams, FixChoice, FixedFile, FixParams, FixResult } from '../protocol.gen';
import type { Problem } from './problem';
import { untrusted } from './problem';

/** How the program is run, as for a trace. */
export type RunSettings = Pick<FixAndVerifyParams, 'python' | 'env'>;

/** What fixing needs from the editor. */
export interface FixHost {
  trusted(): boolean;
  settings(file: string): Promise<RunSettings>;
  applyFix(params: FixParams): Promise<FixResult>;
  fixAndVerify(params: FixAndVerifyParams): Promise<FixResult>;
  /** Shows a message with buttons; what was picked. */
  say(tone: 'information' | 'warning', message: string, buttons: string[]): Promise<string | undefined>;
  report(problem: Problem): void;
  showDiff(files: FixedFile[]): Promise<void>;
  /** Takes a change back; false when a file was edited since. */
  undo(files: FixedFile[]): Promise<boolean>;
  showValues(text: string): Promise<void>;
  /** Writes `note` beside the change, until that line is edited. */
  mark(file: FixedFile, note: string): void;
}

export const SHOW_DIFF = l10n.t('Show Diff');
export const UNDO = l10n.t('Undo');
export const SHOW_VALUES = l10n.t('Show Values');
export const APPLY_ANYWAY = l10n.t('Apply Anyway');
const EDITED_SINCE = l10n.t('Not undone: the file was edited since.');

export class Fixer {
  constructor(private readonly host: FixHost) {}

  /** Makes fixes that a link names. */
  async apply(argument: unknown): Promise<void> {
    const params = fixesOf(argument);
    if (params === undefined) return;
    const result = await this.host.applyFix(params);
    if (result.message !== '') await this.host.say('warning', result.message, []);
  }

  /** Tries fixes that a link or a code action names, and makes them when they are proven. */
  async fixAndVerify(argument: unknown): Promise<void> {
    const params = fixesOf(argument);
    const file = params?.fixes[0]?.file;
    if (params === undefined || file === undefined) return;
    if (!this.host.trusted()) {
      this.host.report(untrusted);
      return;
    }
    const result = await this.host.fixAndVerify({ ...params, ...(await this.host.settings(file)) });
    if (result.problem !== null) this.host.report(result.problem);
    else if (result.status === 'applied') await this.#applied(result);
    else if (result.status === 'unproven') await this.#unproven(result, params);
    else if (result.message !== '') await this.host.say('warning', result.message, []);
  }

  async #applied(result: FixResult): Promise<void> {
    const last = result.files.at(-1);
    if (last !== undefined && result.note !== null) this.host.mark(last, result.note);
    const picked = await this.host.say('information', result.message, [SHOW_DIFF, UNDO]);
    if (picked === SHOW_DIFF) await this.host.showDiff(result.files);
    if (picked === UNDO && !(await this.host.undo(result.files))) await this.host.say('warning', EDITED_SINCE, []);
  }

  async #unproven(result: FixResult, params: FixParams): Promise<void> {
    const ways = [...(result.values === null ? [] : [SHOW_VALUES]), APPLY_ANYWAY];
    const picked = await this.host.say('warning', result.message, ways);
    if (picked === SHOW_VALUES && result.values !== null) await this.host.showValues(result.values);
    if (picked === APPLY_ANYWAY) await this.apply(params);
  }
}

/** The fixes that a command's argument names. */
export function fixesOf(argument: unknown): FixParams | undefined {
  const { recording, fixes } = (argument ?? {}) as { recording?: unknown; fixes?: unknown };
  if (typeof recording !== 'string' || !Array.isArray(fixes) || fixes.length === 0) return undefined;
  return fixes.every(isChoice) ? { recording, fixes } : undefined;
}

function isChoice(value: unknown): value is FixChoice {
  const { file, line, character, code, fix } = (value ?? {}) as Record<string, unknown>;
  const texts = [file, code, fix].every((one) => typeof one === 'string');
  return texts && [line, character].every((one) => Number.isInteger(one));
}

/** Where a mark is after an edit (lines from 0, of the text before it); undefined when its own line was edited. */
export function lineAfter(line: number, edit: { first: number; last: number; added: number }): number | undefined {
  if (edit.first <= line && line <= edit.last) return undefined;
  return edit.last < line ? line + edit.added - (edit.last - edit.first) : line;
}
