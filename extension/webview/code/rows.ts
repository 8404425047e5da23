/** What stands in the three columns, row by row. A row says which group, node and kernel it is of. */
import * as l10n from '@vscode/l10n';
import type {
  CodeKernelInfo,
  CodeNodeInfo,
  CodeResult,
  CodeTextInfo,
  KernelStageInfo,
} from '../../src/shared/messages';
import { byLine } from './groups';
import type { Language } from './tokens';

export interface SourceRow {
  readonly type: 'source';
  readonly line: number;
  readonly text: string;
  /** All groups with something on this line. */
  readonly groups: readonly number[];
}

export interface NodeRow {
  readonly type: 'node';
  readonly position: number;
  readonly node: CodeNodeInfo;
  readonly group: number;
}

export interface CodeRow {
  readonly type: 'code';
  /** From 0. */
  readonly line: number;
  readonly text: string;
  readonly group: number;
  readonly language: Language;
  /** Kernels of which it is the text or the call, first the one that is shown. */
  readonly kernels: readonly number[];
}

export interface FoldRow {
  readonly type: 'fold';
  readonly key: string;
  readonly label: string;
  readonly note: string;
  readonly open: boolean;
  /** First line, from 0; -1 in the graph. */
  readonly line: number;
  readonly group: number;
  readonly kernels: readonly number[];
  readonly code: boolean;
}

export type Row = SourceRow | NodeRow | CodeRow | FoldRow;

export function sourceRows(result: CodeResult, file: number): SourceRow[] {
  const groups = byLine(result.expressions, file);
  return (result.files[file]?.lines ?? []).map((text, line) => ({
    type: 'source',
    line,
    text,
    groups: groups.get(line) ?? [],
  }));
}

const INPUTS = 'inputs';

/** The nodes, inputs folded to one row and each module of several nodes under a row of its own. */
export function nodeRows(nodes: readonly CodeNodeInfo[], toggled: ReadonlySet<string>): (NodeRow | FoldRow)[] {
  const rows: (NodeRow | FoldRow)[] = [];
  let at = 0;
  while (at < nodes.length) {
    const section = sectionOf(nodes[at]);
    let end = at + 1;
    while (end < nodes.length && sectionOf(nodes[end]) === section) end++;
    const key = `graph:${section}:${nodes[at].name}`;
    const inputs = section === INPUTS;
    const open = inputs === toggled.has(key);
    if (section !== '' && end - at > 1) {
      const label = inputs ? l10n.t('Inputs') : shortModule(section);
      rows.push(fold({ key, label, note: counted(end - at, 'node'), open, line: -1, code: false }));
    }
    if (open || section === '' || end - at === 1) {
      for (let position = at; position < end; position++) {
        const node = nodes[position];
        rows.push({ type: 'node', position, node, group: node.expressions[0] ?? -1 });
      }
    }
    at = end;
  }
  return rows;
}

function sectionOf(node: CodeNodeInfo): string {
  if (node.op === 'placeholder' || node.op === 'get_attr') return INPUTS;
  return node.op === 'output' ? '' : node.module;
}

/** `L['self'].layers.0.attn · Attention` is `layers.0.attn · Attention`. */
const shortModule = (module: string): string => module.replace(/^L\['self'\]\.?/, '').replace(/^ · /, '');

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function fold(one: Pick<FoldRow, 'key' | 'label' | 'note' | 'open' | 'line' | 'code'> & Partial<FoldRow>): FoldRow {
  return { type: 'fold', group: -1, kernels: [], ...one };
}

/** The code with everything folded but the shown kernel and what `call` does. `toggled`: folds that are the other way. */
export function codeRows(
  text: CodeTextInfo,
  kernel: number | null,
  toggled: ReadonlySet<string>,
  id: string,
): (CodeRow | FoldRow)[] {
  const lines = text.text.split('\n');
  const named = kernelsByName(text.kernels);
  const called = new Map(text.kernels.map((one, at) => [one.call, at]));
  const shownName = kernel === null ? null : text.kernels[kernel]?.name;
  const ordered = (kernels: readonly number[]): readonly number[] =>
    kernel !== null && kernels.includes(kernel) ? [kernel, ...kernels.filter((one) => one !== kernel)] : kernels;
  const starts = new Map<number, typeof text.folds>();
  for (const one of text.folds) starts.set(one.start, [...(starts.get(one.start) ?? []), one]);
  const rows: (CodeRow | FoldRow)[] = [];
  let within: { end: number; kernels: readonly number[] } | null = null;
  let line = 1;
  while (line <= lines.length) {
    if (within !== null && line > within.end) within = null;
    let skip = 0;
    for (const one of starts.get(line) ?? []) {
      const isKernel = one.kind === 'kernel';
      const key = `${id}:${isKernel ? one.label : one.start}:${one.end}`;
      const open = toggled.has(key) !== (isKernel && one.label === shownName);
      const kernels: readonly number[] = isKernel ? ordered(named.get(one.label) ?? []) : (within?.kernels ?? []);
      const note = counted(lastLine(lines, one.end) - one.start + 1, 'line');
      const group: number = isKernel ? (text.kernels[kernels[0] ?? -1]?.main ?? -1) : -1;
      rows.push(fold({ key, label: one.label, note, open, line: one.start - 1, group, kernels, code: isKernel }));
      if (isKernel) within = { end: one.end, kernels };
      if (!open) {
        skip = one.end;
        break;
      }
    }
    if (skip > 0) {
      line = skip + 1;
      continue;
    }
    const at = called.get(line);
    const kernels: readonly number[] = at === undefined ? (within?.kernels ?? []) : [at];
    const inside = text.kernels.at(within?.kernels[0] ?? text.kernels.length);
    const isText = inside?.start != null && inside.end != null && line >= inside.start && line <= inside.end;
    const language = (isText && inside.language === 'C++') || text.text.startsWith('\n#include') ? 'cpp' : 'python';
    const own = lines[line - 1] ?? '';
    const shown = language === 'cpp' ? halfIndented(own) : own;
    rows.push({ type: 'code', line: line - 1, text: shown, group: text.bands[line - 1] ?? -1, language, kernels });
    line++;
  }
  return rows;
}

/** Inductor's C++ is nested deeply: half of its indentation leaves room for the code. */
const halfIndented = (line: string): string =>
  line.replace(/^ +/, (spaces) => spaces.slice(0, Math.ceil(spaces.length / 2)));

function lastLine(lines: readonly string[], end: number): number {
  let last = end;
  while (last > 1 && (lines[last - 1] ?? '').trim() === '') last--;
  return last;
}

export function kernelsByName(kernels: readonly CodeKernelInfo[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  kernels.forEach((one, at) => {
    const known = found.get(one.name);
    if (known) known.push(at);
    else found.set(one.name, [at]);
  });
  return found;
}

const IR: Readonly<Partial<Record<string, Language>>> = {
  ttir: 'mlir',
  ttgir: 'mlir',
  llir: 'llvm',
  ptx: 'ptx',
  amdgcn: 'ptx',
};

/** One of Triton's stages of a kernel, its debug data folded. */
export function stageRows(
  stage: KernelStageInfo,
  kernel: number | null,
  toggled: ReadonlySet<string>,
): (CodeRow | FoldRow)[] {
  const lines = stage.text.split('\n');
  const language = IR[stage.stage] ?? 'python';
  const kernels = kernel === null ? [] : [kernel];
  const data = new Map<number, number>();
  for (let i = 0; i + 1 < stage.data.length; i += 2) data.set(stage.data[i], stage.data[i + 1]);
  const rows: (CodeRow | FoldRow)[] = [];
  for (let line = 1; line <= lines.length; line++) {
    const end = data.get(line);
    if (end !== undefined && end > line) {
      const key = `${stage.stage}:${line}`;
      const open = toggled.has(key);
      const note = counted(end - line + 1, 'line');
      rows.push(fold({ key, label: l10n.t('debug information'), note, open, line: line - 1, kernels, code: false }));
      if (!open) {
        line = end;
        continue;
      }
    }
    const text = (lines[line - 1] ?? '').replace(/\t/g, '    ');
    rows.push({ type: 'code', line: line - 1, text, group: stage.bands[line - 1] ?? -1, language, kernels });
  }
  return rows;
}

/** The group of a row; of a source row the first. */
export const groupOf = (row: Row): number => (row.type === 'source' ? (row.groups[0] ?? -1) : row.group);

export const hasGroup = (row: Row, group: number): boolean =>
  row.type === 'source'
    ? row.groups.includes(group)
    : row.type === 'node'
      ? row.node.expressions.includes(group)
      : row.group === group;
