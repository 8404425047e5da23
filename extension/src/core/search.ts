/** What is typed into the search, and what becomes of a hit: how it looks, and what picking it opens. */
import * as l10n from '@vscode/l10n';
import type { SearchHit, SearchResult } from '../protocol.gen';
import { dotted } from './text';
import { opening } from './rows/row';

/** What is asked for. */
export interface Typed {
  text: string;
  regex: boolean;
  case: boolean;
  kinds: string[];
}

/** Where an event's text is, and the place in its payload, both from 1. */
export interface EventPlace {
  log: string;
  offset: number;
  name: string;
  compileId: string | null;
  line: number;
  column: number;
  length: number;
}

/** What picking a hit does. */
export type Opening =
  | { type: 'command'; command: string; arguments: unknown[] }
  | { type: 'event'; place: EventPlace }
  | { type: 'nothing' };

export interface SearchRow {
  icon: string;
  label: string;
  description: string;
  detail: string;
  opening: Opening;
}

/** Characters before a match that leave room for it in a row. */
const SEEN = 60;
/** Hits of a kind that the server counts at most when they are not listed. */
const MOST = 10_000;

interface KindLook {
  icon: string;
  title: string;
}

const KINDS: Readonly<Record<string, KindLook>> = {
  finding: { icon: 'warning', title: l10n.t('Findings') },
  function: { icon: 'symbol-method', title: l10n.t('Functions') },
  guard: { icon: 'shield', title: l10n.t('Guards') },
  kernel: { icon: 'zap', title: l10n.t('Kernels') },
  node: { icon: 'type-hierarchy-sub', title: l10n.t('Graph nodes') },
  pass: { icon: 'list-ordered', title: l10n.t('Passes') },
  source: { icon: 'file-code', title: l10n.t('Source') },
  event: { icon: 'pulse', title: l10n.t('Events') },
  file: { icon: 'file', title: l10n.t('Files') },
  text: { icon: 'output', title: l10n.t('Payloads') },
};

/** `guard: case: x` looks for `x` in guards, upper and lower case apart; `regex:` makes it a regular expression. */
export function typed(value: string): Typed {
  const found: Typed = { text: value, regex: false, case: false, kinds: [] };
  for (;;) {
    const [all, word = ''] = /^\s*([a-z]+):\s*/.exec(found.text) ?? [''];
    if (word === 'regex') found.regex = true;
    else if (word === 'case') found.case = true;
    else if (Object.hasOwn(KINDS, word)) found.kinds.push(word);
    else return { ...found, text: found.text.trim() };
    found.text = found.text.slice(all.length);
  }
}

/** What stands above the hits of a kind. */
export const kindTitle = (kind: string): string => KINDS[kind]?.title ?? kind;

export function searchRow(recording: string, hit: SearchHit, baseName: (file: string) => string): SearchRow {
  const place = hit.file === null || hit.kind === 'file' ? null : baseName(hit.file);
  return {
    icon: KINDS[hit.kind]?.icon ?? 'search',
    label: hit.title ?? hit.name,
    description: dotted(
      hit.title !== null && hit.name,
      hit.compileId,
      hit.stage,
      place === null || hit.line === null ? place : `${place}:${hit.line}`,
      hit.payloadLine !== null && hit.event !== hit.name && hit.event,
      hit.payloadLine !== null && l10n.t('line {0}', hit.payloadLine),
      hit.count > 1 && `${hit.count} ×`,
      hit.compiles > 1 && l10n.t('in {0} compiles', hit.compiles),
    ),
    detail: detailOf(hit),
    opening: openingOf(recording, hit),
  };
}

/** Nothing where the label says it; else the line, from shortly before the match where that would be out of sight, and without a guard's kind twice. */
function detailOf({ kind, name, title, text, start }: SearchHit): string {
  if (text === (title ?? name)) return '';
  const kindOf = `${name}: `;
  const from = kind === 'guard' && text.startsWith(kindOf) && start >= kindOf.length ? kindOf.length : 0;
  const before = text.slice(from, start).replace(/\s+/g, ' ');
  const after = text.slice(start).replace(/\s+/g, ' ');
  return before.length <= SEEN ? before + after : `…${before.slice(-SEEN / 2)}${after}`;
}

function openingOf(recording: string, hit: SearchHit): Opening {
  const { compileId, file, line, column, snapshot, node, order } = hit;
  const at = { recording, compileId };
  switch (hit.kind) {
    case 'guard':
      return compileId === null ? eventOf(hit) : command('compilescope.showRecompiles', at);
    case 'node':
      return command('compilescope.showGraph', { ...at, snapshot, node });
    case 'pass':
      return command('compilescope.showPasses', { ...at, pass: order });
    case 'kernel':
      return hit.log === null ? command('compilescope.showCode', { ...at, kernel: hit.name }) : eventOf(hit);
    case 'event':
    case 'text':
      return eventOf(hit);
  }
  if (file === null) return compileId === null ? { type: 'nothing' } : command('compilescope.showCompile', at);
  const first = (column ?? 0) - 1;
  if (hit.kind !== 'source') return { type: 'command', ...opening(file, (line ?? 1) - 1, first) };
  const last = { endLine: (line ?? 1) - 1, endColumn: first + hit.end - hit.start };
  return command('compilescope.openSource', { file, line: (line ?? 1) - 1, column: first, ...last });
}

const command = (name: string, argument: unknown): Opening => ({
  type: 'command',
  command: name,
  arguments: [argument],
});

function eventOf(hit: SearchHit): Opening {
  const { log, offset, event, compileId, payloadLine, column, start, end } = hit;
  if (log === null || offset === null) return { type: 'nothing' };
  const [line, length] = payloadLine === null ? [0, 0] : [payloadLine, end - start];
  return { type: 'event', place: { log, offset, name: event ?? '', compileId, line, column: column ?? 1, length } };
}

/** How many hits are not listed; from `MOST` on nobody counted. */
const numbered = (count = 0): string => (count === 0 ? '' : ` (${Math.min(count, MOST)}${count < MOST ? '' : '+'})`);

/** What stands below the hits: that there are none, or why there may be more. Null when everything was found. */
export function endText(result: SearchResult, text: string): string | null {
  if (result.stopped === 'too-slow') {
    return l10n.t('This regular expression takes too long on one of the texts: make it simpler');
  }
  if (result.count === 0) return l10n.t('Nothing in this recording has “{0}” in it', text);
  if (result.stopped !== null)
    return l10n.t('There is more than these {0}: type more of what you look for', result.count);
  if (result.cut.length === 0) return null;
  return l10n.t(
    'There is more in {0}: write {1} in front for all',
    result.cut.map((kind) => `${kindTitle(kind)}${numbered(result.leftOut[kind])}`).join(', '),
    `${result.cut[0] ?? ''}:`,
  );
}
