/** The rows of the three columns. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { styles } from '../shared/styles';
import { icon } from '../shared/view';
import type { Column } from './column';
import { colour, letter, stretches, type Stretch } from './groups';
import type { CodeRow, FoldRow, NodeRow, Row, SourceRow } from './rows';
import type { CodeSession, ColumnName } from './session';
import { tokens, type Token } from './tokens';
import type { Piece } from './wrap';

const LIBRARY: Readonly<Partial<Record<string, string>>> = {
  extern: 'extern',
  fallback: 'fallback',
  template: 'template',
};
const WHY: Readonly<Partial<Record<string, string>>> = {
  view: l10n.t('A view: no kernel, the same data with other strides.'),
  item: l10n.t('One result of a call that has several: no kernel.'),
  same: l10n.t('Changes nothing: no kernel.'),
  mutation: l10n.t('Its kernel writes there at once.'),
  'in-place': l10n.t('Its inputs were computed where they belong.'),
  inlined: l10n.t('Computed in the kernels of what uses it.'),
  value: l10n.t('A number that is worked out beside the kernels.'),
  check: l10n.t('A check: no kernel.'),
  dead: l10n.t('Nobody uses it: left out.'),
};

export function columnView(session: CodeSession, name: ColumnName, label: string): TemplateResult {
  const column = session.column(name);
  const { visible } = column;
  const chosen = visible.find((at) => isChosen(session, column.rows[at]));
  return html`<div
    class="col ${name} mono ${session.ui.wrap ? '' : 'nowrap'}"
    id="col-${name}"
    role="tree"
    tabindex="0"
    aria-label=${label}
    aria-activedescendant=${chosen === undefined ? nothing : `${name}-${chosen}`}
    data-column=${name}
  >
    <div
      class="rows"
      role="presentation"
      ${styles({ height: `${column.total + 18}px`, '--longest': `${column.longest}ch` })}
    >
      ${visible.map((at) => rowView(session, name, column, at))}
    </div>
  </div>`;
}

function isChosen(session: CodeSession, row: Row): boolean {
  if (row.type === 'node') return row.position === session.ui.node;
  if (row.type === 'source') return session.ui.group !== null && row.groups.includes(session.ui.group);
  return row.type === 'fold' ? false : session.ui.group !== null && row.group === session.ui.group;
}

function rowView(session: CodeSession, name: ColumnName, column: Column, at: number): TemplateResult {
  const row = column.rows[at];
  const place = styles({ top: `${column.top(at)}px`, height: `${column.top(at + 1) - column.top(at)}px` });
  const { hot } = session;
  const group = row.type === 'source' ? -1 : row.group;
  const isHot = hot !== null && (row.type === 'node' ? row.node.expressions[0] === hot : group === hot);
  const found = session.found?.column === name && session.found.at === at;
  const classes = [
    'r',
    row.type,
    group >= 0 ? `g ${colour(group)}` : '',
    isHot ? 'hot' : '',
    found ? 'found' : '',
    row.type === 'node' && row.position === session.ui.node ? 'chosen' : '',
    isCursor(session, row) ? 'cur' : '',
    isOwn(session, row) ? 'own' : '',
  ];
  return html`<div
    id="${name}-${at}"
    class=${classes.filter(Boolean).join(' ')}
    role="treeitem"
    aria-selected=${isChosen(session, row)}
    aria-expanded=${row.type === 'fold' ? row.open : nothing}
    title=${titleOf(session, row) ?? nothing}
    data-at=${at}
    ${place}
  >
    ${content(session, row, column.pieces(at))}
  </div>`;
}

function isCursor({ cursor, ui }: CodeSession, row: Row): boolean {
  return row.type === 'source' && cursor !== null && cursor.file === ui.file && cursor.line === row.line;
}

/** Whether a row belongs to the shown kernel. */
function isOwn(session: CodeSession, row: Row): boolean {
  if (row.type === 'node') return session.kernel?.nodes.includes(row.position) === true;
  return row.type !== 'source' && session.ui.kernel !== null && row.kernels[0] === session.ui.kernel;
}

function titleOf(session: CodeSession, row: Row): string | undefined {
  if (row.type === 'node') {
    const kernels = session.kernels.filter(({ nodes }) => nodes.includes(row.position)).map(({ name }) => name);
    const where =
      kernels.length > 0 ? l10n.t('in {0}', [...new Set(kernels)].join(', ')) : (WHY[row.node.why ?? ''] ?? '');
    return [`${row.node.name} = ${row.node.target}${row.node.args}`, row.node.module, where].filter(Boolean).join('\n');
  }
  return row.type === 'fold' ? `${row.label} · ${row.note}` : undefined;
}

function content(session: CodeSession, row: Row, pieces: readonly Piece[]): TemplateResult {
  if (row.type === 'node') return nodeView(session, row);
  if (row.type === 'fold') return foldView(row);
  return row.type === 'source' ? sourceView(session, row, pieces) : codeView(row, pieces);
}

const tag = (group: number): TemplateResult => html`<span class="tag">${group < 0 ? '' : letter(group)}</span>`;

function nodeView(session: CodeSession, { node, group, position }: NodeRow): TemplateResult {
  const kinds = session.kernels.filter(({ nodes }) => nodes.at(-1) === position);
  const library = kinds.map(({ kind }) => LIBRARY[kind]).find(Boolean);
  return html`${tag(group)}<span class="nm"><i>%</i>${node.name}</span
    ><span class="op">${opOf(node.target, node.op)}</span>${
      library === undefined ? nothing : html`<b class="ext">${library}</b>`
    }<span class="sh">${node.shape}</span>`;
}

/** `aten.view.default` is `aten.view`. */
function opOf(target: string, op: string): string {
  if (op === 'placeholder' || op === 'output' || op === 'get_attr') return op === 'get_attr' ? 'attribute' : op;
  return target
    .replace(/^torch\.ops\./, '')
    .replace(/^_operator\./, '')
    .replace(/^((?:aten|prims)\.\w+)\.\w+$/, '$1');
}

function foldView(row: FoldRow): TemplateResult {
  return html`<span class="ln">${row.line < 0 ? '' : row.line + 1}</span>${tag(row.group)}<span
      class="tx ${row.code ? 'kernel' : ''}"
      >${icon(row.open ? 'chevron-down' : 'chevron-right')}<span class="clip">${row.label}</span
      ><span class="dim">${row.note}</span></span
    >`;
}

function sourceView(session: CodeSession, row: SourceRow, pieces: readonly Piece[]): TemplateResult {
  const all = session.result?.expressions ?? [];
  const cut = row.groups.length > 0 ? stretches(row.text, row.line, row.groups, all) : [];
  return html`<span class="ln">${row.line + 1}</span
    ><span class="tx"
      >${pieces.map((piece) => pieceView(row.text, tokens(row.text, 'python'), cut, piece, session))}</span
    >`;
}

function codeView(row: CodeRow, pieces: readonly Piece[]): TemplateResult {
  return html`<span class="ln">${row.line + 1}</span>${tag(row.group)}<span class="tx"
      >${pieces.map((piece) => pieceView(row.text, tokens(row.text, row.language), [], piece, null))}</span
    >`;
}

/** One visual line: its tokens, inside of the stretches that have a group. */
function pieceView(
  text: string,
  all: readonly Token[],
  cut: readonly Stretch[],
  piece: Piece,
  session: CodeSession | null,
): TemplateResult {
  const shown = cut.length > 0 ? cut : [{ from: 0, to: text.length, group: -1 }];
  const parts = shown
    .map(({ from, to, group }) => ({ from: Math.max(from, piece.from), to: Math.min(to, piece.to), group }))
    .filter(({ from, to }) => to > from);
  const content = parts.map(({ from, to, group }) => {
    const inside = tokensBetween(all, from, to);
    if (group < 0) return inside;
    const hot = session?.hot === group ? 'hot' : '';
    return html`<span class="x ${colour(group)} ${hot}" data-g=${group}>${inside}</span>`;
  });
  // No space between the tags: it would be shown.
  return html`<div class="pl" ${styles({ 'padding-left': `${piece.indent}ch` })}>${content}</div>`;
}

function tokensBetween(all: readonly Token[], from: number, to: number): (TemplateResult | string)[] {
  const found: (TemplateResult | string)[] = [];
  let at = 0;
  for (const { text, kind } of all) {
    const end = at + text.length;
    if (end > from && at < to) {
      const part = text.slice(Math.max(0, from - at), Math.min(text.length, to - at));
      found.push(kind === '' ? part : html`<span class="t-${kind}">${part}</span>`);
    }
    at = end;
    if (at >= to) break;
  }
  return found;
}
