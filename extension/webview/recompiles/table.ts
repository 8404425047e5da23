/** The table: versions as columns, guards as rows. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { classMap } from 'lit/directives/class-map.js';
import type { CauseInfo, GuardRow } from '../../src/shared/messages';
import { count, duration } from '../shared/format';
import { styles } from '../shared/styles';
import { icon } from '../shared/view';
import { type Cell, cellOf, changeText, type Column, MANY_VERSIONS, type ShownRows, shortValue } from './model';
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
        aria-label=${l10n.t('Guards by version')}
        aria-rowcount=${shown.rows.length + 1}
        aria-colcount=${columns.length + 1}
        aria-activedescendant=${selected >= 0 && at >= from && at < to ? `cell-${selected}-${at}` : nothing}
        ${styles({ width: many ? `${CORNER + columns.length * NARROW}px` : `max(100%, ${CORNER + columns.length * LEAST}px)` })}
      >
        <thead>
          ${clustered ? clusterRow(columns, from, to) : nothing}
          <tr role="row">
            <th class="corner" scope="col" ${styles({ width: `${CORNER}px` })}>
              <b>${l10n.t('Guards')}</b>
              <span class="dim">${l10n.t('what each version accepts;')}</span>
              <span class="how">${l10n.t('old → new')}</span> <span class="dim">${l10n.t('is what failed')}</span>
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
    <th class="corner dim">${l10n.t('made by')}</th>
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
      : html`<div class="calls num">
          <b>${count(version.calls)}</b> ${version.calls === 1 ? l10n.t('call') : l10n.t('calls')}
        </div>`;
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
    title=${version.dead ?? l10n.t('Click to select; Shift+click to compare its graph with the selected one')}
    ${many ? styles({ width: `${NARROW}px` }) : styles({})}
    @click=${(event: MouseEvent) => events.pick(column, null, event.shiftKey)}
  >
    <div class="id">
      <span class="clip">${version.id}</span>
      ${version.open ? html`<em title=${l10n.t('Something in it is variable')}>${l10n.t('dyn')}</em>` : nothing}
      ${version.dead === null ? nothing : html`<em class="gone" title=${version.dead}>${l10n.t('dead')}</em>`}
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
                aria-label=${l10n.t('Line {0}', line)}
                @click=${() => events.source(row)}
              >
                ${line}
              </button>`
        }
        <span class="failures num" title=${quiet ? nothing : l10n.t('Made {0} of the versions', row.failures.length)}
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
  if (cell.type === 'none') return l10n.t('This version does not look at it');
  return session.table?.noGuards ?? l10n.t('The guards of this version are left out: there are too many');
}

function content(cell: Cell): TemplateResult | string {
  if (cell.type === 'text') return shortValue(cell.text);
  if (cell.type === 'none') return '–';
  if (cell.type === 'unknown') return '';
  if (cell.old === '') return html`<span class="change words">${cell.now}</span>`;
  return html`<span class="change"
    ><s class="clip">${shortValue(cell.old)}</s><b><span class="hidden-text">${l10n.t('failed, then')}</span>→</b
    ><span class="clip">${shortValue(cell.now)}</span></span
  >`;
}

function refusalText(first: CauseInfo, others: number): string {
  return others === 0
    ? l10n.t('At the limit, torch compiled nothing for {0}.', changeText(first))
    : l10n.t('At the limit, torch compiled nothing for {0} and {1} more.', changeText(first), count(others));
}

function moreText({ more: number, differ }: ShownRows): string {
  if (differ === 1) return l10n.t('{0} more guards never failed, and {1} of them differs', count(number), differ);
  if (differ > 1) return l10n.t('{0} more guards never failed, and {1} of them differ', count(number), count(differ));
  return number === 1
    ? l10n.t('{0} more guard is the same in all versions', number)
    : l10n.t('{0} more guards are the same in all versions', count(number));
}

function more(session: RecompileSession, events: TableEvents): TemplateResult | typeof nothing {
  const { shown, table: all, ui } = session;
  if (all === null) return nothing;
  const refusal = all.refusals.at(0);
  const notes = [
    refusal === undefined ? '' : refusalText(refusal, all.refusals.length - 1),
    all.unread > 0 ? l10n.t('The guards of {0} versions are left out: there are too many.', all.unread) : '',
    all.noGuards ?? '',
    !ui.fewer && all.more > 0 ? l10n.t('{0} more are left out.', count(all.more)) : '',
  ].filter((note) => note !== '');
  const names =
    shown.names.length > 0 ? ` (${shown.names.join(', ')}${shown.more > shown.names.length ? ', …' : ''})` : '';
  return html`${
    ui.fewer && shown.more > 0
      ? html`<button class="more" aria-expanded="false" @click=${() => events.more()}>
          ${icon('chevron-right')}<span class="clip">${moreText(shown)}${names}</span>
        </button>`
      : ui.fewer
        ? nothing
        : html`<button class="more" aria-expanded="true" @click=${() => events.more()}>
            ${icon('chevron-down')}<span>${l10n.t('All guards are shown')}</span>
          </button>`
  }${notes.map((note) => html`<div class="more note">${note}</div>`)}`;
}
