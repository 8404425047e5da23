/** The table: versions as columns, guards as rows. */
import { html, nothing, type TemplateResult } from 'lit';
import { classMap } from 'lit/directives/class-map.js';
import type { GuardRow } from '../../src/shared/messages';
import { count, duration } from '../shared/format';
import { styles } from '../shared/styles';
import { icon } from '../shared/view';
import { type Cell, cellOf, changeText, type Column, MANY_VERSIONS, shortValue } from './model';
import type { RecompileSession } from './session';

/** Widths in pixels. */
const CORNER = 250;
/** The least width of a column that is not narrow. */
const LEAST = 80;
const NARROW = 92;
const OVERSCAN = 4;
const LONGEST_TITLE = 1000;
/** Up to so many columns are all in the page. */
const ALL_COLUMNS = 40;

export interface TableEvents {
  pick(column: Column, row: GuardRow | null, second: boolean): void;
  open(): void;
  source(row: GuardRow): void;
  more(): void;
  scrolled(): void;
}

/** The columns that are in view, and how many are left and right of them. */
function windowOf(columns: readonly Column[], scroller: HTMLElement | null): { from: number; to: number } {
  if (columns.length <= ALL_COLUMNS) return { from: 0, to: columns.length };
  const left = scroller?.scrollLeft ?? 0;
  const width = scroller?.clientWidth ?? 1200;
  const from = Math.max(0, Math.floor(left / NARROW) - OVERSCAN);
  return { from, to: Math.min(columns.length, from + Math.ceil(width / NARROW) + 2 * OVERSCAN) };
}

const spacer = (columns: number, tag: 'th' | 'td'): TemplateResult | typeof nothing => {
  if (columns <= 0) return nothing;
  const width = styles({ width: `${columns * NARROW}px` });
  return tag === 'th'
    ? html`<th class="spacer" aria-hidden="true" ${width}></th>`
    : html`<td class="spacer" aria-hidden="true"></td>`;
};

export function table(session: RecompileSession, scroller: HTMLElement | null, events: TableEvents): TemplateResult {
  const { columns, shown } = session;
  const { from, to } = windowOf(columns, scroller);
  const seen = columns.slice(from, to);
  const most = Math.max(1, ...columns.map(({ version }) => version.calls ?? 0));
  const many = columns.length > MANY_VERSIONS;
  const selected = shown.rows.findIndex(({ about }) => about === session.ui.about);
  const at = columns.findIndex(({ version }) => version.id === session.ui.compileId);
  const clustered = columns.some(({ cluster }) => cluster !== null);
  return html`<div class="grid-scroll" id="grid" @scroll=${() => events.scrolled()}>
      <table
        class=${many ? 'many' : ''}
        role="grid"
        tabindex="0"
        aria-label="Guards by version"
        aria-rowcount=${shown.rows.length + 1}
        aria-colcount=${columns.length + 1}
        aria-activedescendant=${selected >= 0 && at >= from && at < to ? `cell-${selected}-${at}` : nothing}
        ${styles({ width: many ? `${CORNER + columns.length * NARROW}px` : `max(100%, ${CORNER + columns.length * LEAST}px)` })}
      >
        <thead>
          ${clustered ? clusterRow(columns, from, to) : nothing}
          <tr role="row">
            <th class="corner" scope="col" ${styles({ width: `${CORNER}px` })}>
              <b>Guards</b>
              <span class="dim">what each version accepts;</span>
              <span class="how">old → new</span> <span class="dim">is what failed</span>
            </th>
            ${spacer(from, 'th')} ${seen.map((column) => head(session, column, most, many, events))}
            ${spacer(columns.length - to, 'th')}
          </tr>
        </thead>
        <tbody>
          ${shown.rows.map((row, number) => guardRow(session, row, number, from, to, events))}
        </tbody>
      </table>
    </div>
    ${more(session, events)}`;
}

function clusterRow(columns: readonly Column[], from: number, to: number): TemplateResult {
  const starts = columns.flatMap(({ cluster }, at) => (cluster === null ? [] : [{ ...cluster, at }]));
  const shown = starts
    .map(({ about, size, at }) => ({ about, whole: size, size: Math.min(at + size, to) - Math.max(at, from) }))
    .filter(({ size }) => size > 0);
  return html`<tr class="clusters" role="row">
    <th class="corner dim">made by</th>
    ${spacer(from, 'th')}
    ${shown.map(
      ({ about, size, whole }) =>
        html`<th colspan=${size} title="${about}: ${whole}" ${styles({ width: `${size * NARROW}px` })}>
          <span class="clip mono">${about}</span>${whole > 1 ? html` <span class="dim num">× ${whole}</span>` : nothing}
        </th>`,
    )}
    ${spacer(columns.length - to, 'th')}
  </tr>`;
}

function head(
  session: RecompileSession,
  column: Column,
  most: number,
  many: boolean,
  events: TableEvents,
): TemplateResult {
  const { version, index } = column;
  const { table } = session;
  const selected = version.id === session.ui.compileId;
  const calls =
    version.calls === null
      ? html`<div class="calls" title=${table?.noCalls ?? ''}>&nbsp;</div>`
      : html`<div class="calls num"><b>${count(version.calls)}</b> ${version.calls === 1 ? 'call' : 'calls'}</div>`;
  const state = version.status === 'ok' ? null : version.status;
  return html`<th
    scope="col"
    role="columnheader"
    id="version-${index}"
    aria-selected=${selected}
    class=${classMap({
      version: true,
      selected,
      other: session.ui.other === version.id && !selected,
      fresh: session.fresh.has(version.id),
      dead: version.dead !== null,
    })}
    title=${version.dead ?? 'Click to select; Shift+click to compare its graph with the selected one'}
    ${many ? styles({ width: `${NARROW}px` }) : styles({})}
    @click=${(event: MouseEvent) => events.pick(column, null, event.shiftKey)}
  >
    <div class="id">
      <span class="clip">${version.id}</span>
      ${version.open ? html`<em title="Something in it is variable">dyn</em>` : nothing}
      ${version.dead === null ? nothing : html`<em class="gone" title=${version.dead}>dead</em>`}
      ${state === null ? nothing : html`<em class="gone">${state}</em>`}
    </div>
    <div class="track" aria-hidden="true">
      <i ${styles({ '--share': String((version.calls ?? 0) / most) })}></i>
    </div>
    ${calls}
    <div class="dim num">${duration(version.seconds)}</div>
  </th>`;
}

function guardRow(
  session: RecompileSession,
  row: GuardRow,
  number: number,
  from: number,
  to: number,
  events: TableEvents,
): TemplateResult {
  const { columns } = session;
  const quiet = row.failures.length === 0;
  const line = row.place === null ? null : row.place.line + 1;
  return html`<tr role="row" class=${classMap({ quiet, selected: row.about === session.ui.about })}>
    <th class="guard" scope="row" role="rowheader">
      <div>
        <span class="name mono clip" title=${row.about.slice(0, LONGEST_TITLE)}
          >${row.about.slice(0, LONGEST_TITLE)}</span
        >
        <span class="kind">${row.kind}</span>
        ${
          line === null
            ? html`<span class="line"></span>`
            : html`<button
                class="link line num"
                tabindex="-1"
                title="${row.place?.file ?? ''}:${line}"
                aria-label="Line ${line}"
                @click=${() => events.source(row)}
              >
                ${line}
              </button>`
        }
        <span class="failures num" title=${quiet ? nothing : `Made ${row.failures.length} of the versions`}
          >${quiet ? '' : row.failures.length}</span
        >
      </div>
    </th>
    ${spacer(from, 'td')}
    ${columns
      .slice(from, to)
      .map((column, at) => tableCell(session, row, number, column, columns[from + at - 1] ?? null, from + at, events))}
    ${spacer(columns.length - to, 'td')}
  </tr>`;
}

function tableCell(
  session: RecompileSession,
  row: GuardRow,
  number: number,
  column: Column,
  before: Column | null,
  position: number,
  events: TableEvents,
): TemplateResult {
  const cell = cellOf(row, column, before);
  const selected = column.version.id === session.ui.compileId;
  return html`<td
    role="gridcell"
    id="cell-${number}-${position}"
    class=${classMap({
      cell: true,
      failed: cell.type === 'failed',
      same: cell.type === 'text' && cell.same,
      selected,
      active: selected && row.about === session.ui.about,
    })}
    aria-selected=${selected && row.about === session.ui.about}
    title=${titleOf(cell, session).slice(0, LONGEST_TITLE)}
    @click=${(event: MouseEvent) => events.pick(column, row, event.shiftKey)}
    @dblclick=${() => events.open()}
  >
    ${content(cell)}
  </td>`;
}

function titleOf(cell: Cell, session: RecompileSession): string {
  if (cell.type === 'failed') return cell.whole;
  if (cell.type === 'text') return cell.text;
  if (cell.type === 'none') return 'This version does not look at it';
  return session.table?.noGuards ?? 'The guards of this version are left out: there are too many';
}

function content(cell: Cell): TemplateResult | string {
  if (cell.type === 'text') return shortValue(cell.text);
  if (cell.type === 'none') return '–';
  if (cell.type === 'unknown') return '';
  if (cell.old === '') return html`<span class="change words">${cell.now}</span>`;
  return html`<span class="change"
    ><s class="clip">${shortValue(cell.old)}</s><b><span class="hidden-text">failed, then</span>→</b
    ><span class="clip">${shortValue(cell.now)}</span></span
  >`;
}

function more(session: RecompileSession, events: TableEvents): TemplateResult | typeof nothing {
  const { shown, table: all, ui } = session;
  if (all === null) return nothing;
  const refusal = all.refusals.at(0);
  const others = all.refusals.length > 1 ? ` and ${count(all.refusals.length - 1)} more` : '';
  const notes = [
    refusal === undefined ? '' : `At the limit, torch compiled nothing for ${changeText(refusal)}${others}.`,
    all.unread > 0 ? `The guards of ${all.unread} versions are left out: there are too many.` : '',
    all.noGuards ?? '',
    !ui.fewer && all.more > 0 ? `${count(all.more)} more are left out.` : '',
  ].filter((note) => note !== '');
  const names =
    shown.names.length > 0 ? ` (${shown.names.join(', ')}${shown.more > shown.names.length ? ', …' : ''})` : '';
  const which =
    shown.differ === 0
      ? `${shown.more === 1 ? 'guard is' : 'guards are'} the same in all versions`
      : `guards never failed, and ${count(shown.differ)} of them ${shown.differ === 1 ? 'differs' : 'differ'}`;
  return html`${
    ui.fewer && shown.more > 0
      ? html`<button class="more" aria-expanded="false" @click=${() => events.more()}>
          ${icon('chevron-right')}<span class="clip">${count(shown.more)} more ${which}${names}</span>
        </button>`
      : ui.fewer
        ? nothing
        : html`<button class="more" aria-expanded="true" @click=${() => events.more()}>
            ${icon('chevron-down')}<span>All guards are shown</span>
          </button>`
  }${notes.map((note) => html`<div class="more note">${note}</div>`)}`;
}
