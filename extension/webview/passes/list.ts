/** The list of passes. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { styles } from '../shared/styles';
import type { MatchInfo, PassInfo } from '../../src/shared/messages';
import { errorText, stepName } from '../../src/shared/steps';
import { count, duration, many, percent, signed } from '../shared/format';
import { LongList } from '../shared/list';
import { icon } from '../shared/view';
import { matchesText } from './matches';
import { deltaOf, type PassModel, type Phase, type Row } from './model';
import { hasTime, isPass, isUnrun } from './steps';

const ROW = 22;
const CALLOUT = 130;
const INDENT = 14;

export interface ListEvents {
  pick(row: Row): void;
  open(row: Row): void;
  toggle(phase: Phase): void;
  source(pass: PassInfo): void;
  dismiss(pass: PassInfo): void;
}

/** Widths of the columns of numbers, for the longest number in each. */
export function columns({ steps, phases }: PassModel): Record<string, string> {
  const width = (texts: string[], least: number): string =>
    `calc(${Math.max(least, ...texts.map((text) => text.length))}ch + 6px)`;
  const deltas = [...steps.map(deltaOf), ...phases.map(({ delta }) => delta)];
  const all = [...steps, ...phases];
  return {
    '--nodes': width(
      all.map(({ nodesBefore, nodesAfter }) => nodesText(nodesBefore, nodesAfter)),
      6,
    ),
    '--delta': width(deltas.map(deltaText), 3),
  };
}

const nodesText = (before: number | null, after: number | null): string => {
  if (before === null || after === null) return '–';
  return before === after ? count(after) : `${count(before)} → ${count(after)}`;
};

const deltaText = (delta: number | null): string => (delta === null ? '–' : signed(delta));

export const isChosen = (row: Row, pass: number | null, phase: string | null): boolean =>
  row.type === 'pass' ? row.pass.order === pass : row.type === 'phase' && pass === null && row.phase.key === phase;

export class PassList {
  rows: Row[] = [];
  readonly #list: LongList;

  constructor(changed: () => void) {
    this.#list = new LongList((index) => (this.rows[index]?.type === 'callout' ? CALLOUT : ROW), changed);
  }

  set(rows: Row[]): void {
    this.rows = rows;
    this.#list.resize(rows.length);
  }

  attach(element: HTMLElement | null): void {
    this.#list.attach(element, this.rows.length);
  }

  reveal(index: number): void {
    this.#list.reveal(index);
  }

  get scroll(): number {
    return this.#list.offset;
  }

  scrollTo(offset: number): void {
    this.#list.scrollTo(offset);
  }

  render(model: PassModel, pass: number | null, phase: string | null, events: ListEvents): TemplateResult {
    const chosen = this.rows.findIndex((row) => isChosen(row, pass, phase));
    const visible = this.#list.rows.filter(({ index }) => index < this.rows.length);
    const height = styles({ height: `${this.#list.height}px` });
    return html`<div class="list" id="list">
      <div
        class="rows"
        role="tree"
        tabindex="0"
        aria-label=${l10n.t('Passes in the order in which they ran')}
        aria-activedescendant=${chosen >= 0 ? `row-${chosen}` : nothing}
        ${height}
      >
        ${visible.map(({ index, start }) => {
          const row = this.rows[index];
          if (row.type === 'callout') return nothing;
          return row.type === 'phase'
            ? phaseRow(row.phase, row.open, model, index, start, index === chosen, events)
            : passRow(row.pass, row, model, index, start, index === chosen, events);
        })}
      </div>
      <div class="callouts">
        ${visible.map(({ index, start }) => {
          const row = this.rows[index];
          return row.type === 'callout' ? callout(row.pass, start, events) : nothing;
        })}
      </div>
    </div>`;
  }
}

function phaseRow(
  phase: Phase,
  open: boolean,
  model: PassModel,
  index: number,
  top: number,
  selected: boolean,
  events: ListEvents,
): TemplateResult {
  const share = phase.passSeconds > 0 ? percent(phase.passSeconds / model.seconds) : '';
  const none = phase.passes.every(isUnrun);
  return html`<div
    id="row-${index}"
    class="row phase ${selected ? 'selected' : ''}"
    role="treeitem"
    aria-level="1"
    aria-expanded=${open}
    aria-selected=${selected}
    ${styles({ top: `${top}px` })}
    @click=${() => events.toggle(phase)}
  >
    <span class="chevron">${icon(open ? 'chevron-down' : 'chevron-right')}</span>
    <span class="name clip">${phase.label}</span>
    <span class="time"
      ><span class="track dim num">${share}</span><span class="num">${none ? '' : duration(phase.seconds)}</span></span
    >
    <span class="nodes num">${none ? '' : nodesText(phase.nodesBefore, phase.nodesAfter)}</span>
    <span class="delta num">${none ? '' : deltaText(phase.delta)}</span>
  </div>`;
}

function passRow(
  pass: PassInfo,
  row: Row,
  model: PassModel,
  index: number,
  top: number,
  selected: boolean,
  events: ListEvents,
): TemplateResult {
  const slowest = pass === model.slowest;
  const failed = pass.error !== null;
  const quiet = isUnrun(pass) || (!pass.changed && !pass.custom && !slowest && !failed);
  const share = model.most > 0 ? pass.seconds / model.most : 0;
  const matches = model.matches.get(pass.order) ?? [];
  const more = moreText(pass, matches);
  const kinds = { selected, quiet, slowest, failed, [`is-${pass.kind}`]: true };
  const classes = Object.entries(kinds).filter(([, is]) => is);
  const mark = failed ? 'error' : isUnrun(pass) ? 'circle-slash' : null;
  return html`<div
    id="row-${index}"
    class="row pass ${classes.map(([name]) => name).join(' ')}"
    role="treeitem"
    aria-level=${2 + pass.depth}
    aria-selected=${selected}
    title=${tooltip(pass, matches)}
    ${styles({ top: `${top}px` })}
    @click=${() => events.pick(row)}
    @dblclick=${() => events.open(row)}
  >
    <span class="mark"
      >${mark !== null ? icon(mark) : pass.changed ? html`<i class="dot"></i><span class="hidden-text">${l10n.t('changed')}</span>` : nothing}</span
    >
    <span class="name" ${styles({ 'padding-left': `${4 + pass.depth * INDENT}px` })}>
      <span class="${pass.kind === 'pass' || isUnrun(pass) ? 'mono' : ''} clip own">${stepName(pass)}</span>
      ${pass.custom ? html`<span class="tag custom">${l10n.t('custom')}</span>` : nothing}
      ${slowest ? html`<span class="tag slow">${l10n.t('slowest')}</span>` : nothing}
      ${failed ? html`<span class="tag failed">${l10n.t('failed')}</span>` : nothing}
      ${isUnrun(pass) ? html`<span class="tag">${l10n.t('never ran')}</span>` : nothing}
      ${more === '' ? nothing : html`<span class="more clip">${more}</span>`}
    </span>
    ${isUnrun(pass) ? nothing : figures(pass, share)}
  </div>`;
}

function figures(pass: PassInfo, share: number): TemplateResult {
  return html`<span class="time">
      <span class="track">${isPass(pass) ? html`<i ${styles({ '--share': String(share) })}></i>` : nothing}</span>
      <span class="num">${hasTime(pass) ? duration(pass.seconds) : '–'}</span>
    </span>
    <span class="nodes num">${nodesText(pass.nodesBefore, pass.nodesAfter)}</span>
    <span class="delta num">${deltaText(deltaOf(pass))}</span>`;
}

/** What stands behind the name while there is room: why it failed or did not run, the slot, the new graph, the matches. */
function moreText(pass: PassInfo, matches: readonly MatchInfo[]): string {
  if (isUnrun(pass)) return pass.message ?? '';
  const found = matches.length > 0 ? (matchesText(matches).split('\n', 1)[0] ?? '') : null;
  const side = pass.source === null ? null : pass.graph.slice(pass.graph.lastIndexOf('/') + 1);
  return [pass.error === null ? null : (pass.message ?? pass.error), pass.slot, side, found]
    .filter(Boolean)
    .join(' · ');
}

const tooltip = (pass: PassInfo, matches: readonly MatchInfo[]): string =>
  [
    stepName(pass),
    pass.function,
    pass.slot === null ? null : l10n.t('registered as {0}', pass.slot),
    pass.file === null ? null : `${pass.file}${pass.line === null ? '' : `:${pass.line}`}`,
    isUnrun(pass) ? l10n.t('Never ran. {0}', pass.message ?? '') : errorText(pass),
    matches.length > 0 ? matchesText(matches) : null,
  ]
    .filter(Boolean)
    .join('\n');

/** Under a custom pass that changed nothing: what was observed, and where to look. */
/** Text with what is between backticks as code. */
function codeIn(text: string): (string | TemplateResult)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

function ranInVain(pass: PassInfo): string {
  const time = duration(pass.seconds);
  return pass.nodesBefore === null
    ? l10n.t('It ran for {0} and left the graph as it was. See whether what it looks for is there.', time)
    : l10n.t(
        'It ran on {0} for {1} and left the graph as it was. See whether what it looks for is there.',
        many(pass.nodesBefore, 'node'),
        time,
      );
}

function callout(pass: PassInfo, top: number, events: ListEvents): TemplateResult {
  return html`<div class="callout" role="note" ${styles({ top: `${top}px` })}>
    ${icon('info')}
    <div>
      <b>${l10n.t('Why did this pass change nothing?')}</b>
      <p>${pass.why === null ? ranInVain(pass) : codeIn(pass.why)}</p>
      ${pass.file === null ? nothing : html`<button class="link" @click=${() => events.source(pass)}>${l10n.t('Go to the pass')}</button>`}
    </div>
    <button
      class="tb ic"
      title=${l10n.t('Dismiss for this pass')}
      aria-label=${l10n.t('Dismiss')}
      @click=${() => events.dismiss(pass)}
    >
      ${icon('close')}
    </button>
  </div>`;
}
