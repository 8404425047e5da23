/** How a function or module is traced by itself: with what it is called, asked for once and remembered. */
import * as l10n from '@vscode/l10n';
import type { TargetInfo } from '../protocol.gen';

/** Expressions in Python over the names of the target's file: what is called, and with which arguments, call by call. */
export interface Call {
  target: string;
  inputs: string[];
}

/** What is kept of a target between sessions. `failed`: it could not be called like this, so it is asked for again. */
export interface Remembered extends Call {
  failed?: boolean;
}

/** A question in an input box. */
export interface Question {
  title: string;
  prompt: string;
  value: string;
}

/** What asking needs from the editor. */
export interface AskingHost {
  /** The answer; undefined when the user gave up. */
  ask(question: Question): Promise<string | undefined>;
  recall(key: string): Remembered | undefined;
  remember(key: string, call: Remembered): void;
}

/** What `compilescope.traceTarget` was given by a code lens; undefined for what is no target. */
export function targetOf(argument: unknown): { target: TargetInfo; ask: boolean } | undefined {
  const { target, ask } = (argument ?? {}) as { target?: Partial<TargetInfo> | null; ask?: unknown };
  const texts = [target?.file, target?.name, target?.made, target?.inputs, target?.signature];
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  return { target: target as TargetInfo, ask: ask === true };
}

/** The call to make: the one remembered, else what the user answers. Undefined when the user gave up. */
export async function callOf(target: TargetInfo, ask: boolean, host: AskingHost): Promise<Call | undefined> {
  const known = host.recall(keyOf(target));
  if (known !== undefined && known.failed !== true && !ask) return { target: known.target, inputs: known.inputs };
  if (known === undefined && !ask && target.made === target.name && target.inputs === '') {
    return { target: target.name, inputs: [] };
  }
  const call = await asked(target, known, host);
  if (call !== undefined) host.remember(keyOf(target), call);
  return call;
}

/** Codes of the problems that other answers would mend. */
const ANSWERABLE = ['no-target', 'bad-target', 'no-inputs', 'bad-inputs'];

/** Takes note of how the call went: what could not be called like this is asked for at the next time. */
export function learn(target: TargetInfo, call: Call, code: string | undefined, host: AskingHost): void {
  if (code !== undefined && ANSWERABLE.includes(code)) host.remember(keyOf(target), { ...call, failed: true });
}

async function asked(target: TargetInfo, known: Call | undefined, host: AskingHost): Promise<Call | undefined> {
  const title = l10n.t('Trace {0}', target.name);
  const class_ = /^[\w.]+/.exec(target.name)?.[0]?.split('.')[0] ?? target.name;
  const made =
    target.made === target.name
      ? target.name
      : await host.ask({
          title,
          prompt: l10n.t('How {0} is made: Python, with the names of its file', class_),
          value: known?.target ?? target.made,
        });
  if (made === undefined) return undefined;
  const inputs = await host.ask({
    title,
    prompt: l10n.t('Arguments for {0}: Python, with the names of its file', target.signature),
    value: known?.inputs[0] ?? target.inputs,
  });
  if (inputs === undefined) return undefined;
  return {
    target: made.trim() === '' ? target.made : made.trim(),
    inputs: inputs.trim() === '' ? [] : [inputs.trim()],
  };
}

function keyOf({ file, name }: TargetInfo): string {
  return `${file}\n${name}`;
}
