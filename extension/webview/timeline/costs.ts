/** The list of what lines of the program cost. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { baseName, duration, percent } from '../shared/format';
import { pythonLine } from '../shared/coded';
import { styles } from '../shared/styles';
import type { CostRow } from './model';
import { secondsOf, type TimelineSession } from './session';

export interface CostEvents {
  pick(row: CostRow): void;
  open(row: CostRow): void;
}

export function costs(session: TimelineSession, events: CostEvents): TemplateResult {
  const { timeline, costs: rows, costList } = session;
  if (timeline === null) return html``;
  const files = new Set(rows.flatMap(({ place }) => (place === null ? [] : [timeline.result.places[place].file])));
  const total = rows.reduce((sum, { time }) => sum + time, 0);
  const most = rows.at(0)?.time ?? 0;
  const chosen = rows.findIndex(({ key }) => key === session.ui.cost);
  const only = files.size === 1 ? ` · ${baseName([...files][0])}` : '';
  return html`<section class="costs" aria-label=${l10n.t('Cost per source line')}>
    <h2 class="part">
      ${l10n.t('Cost per source line')}
      <span class="num"
        >${session.ui.compileId === null ? l10n.t('all compiles') : l10n.t('compile {0}', session.ui.compileId)},
        ${duration(secondsOf(total))}${only}</span
      >
    </h2>
    <div class="cost-list" id="costs">
      <div
        class="cost-rows"
        role="listbox"
        tabindex="0"
        aria-label=${l10n.t('Cost per source line, the dearest first')}
        aria-activedescendant=${chosen >= 0 ? `cost-${chosen}` : nothing}
        ${styles({ height: `${costList.height}px` })}
      >
        ${costList.rows
          .filter(({ index }) => index < rows.length)
          .map(({ index, start }) => costRow(session, rows[index], index, start, total, most, files.size > 1, events))}
      </div>
    </div>
  </section>`;
}

function costRow(
  session: TimelineSession,
  row: CostRow,
  index: number,
  top: number,
  total: number,
  most: number,
  severalFiles: boolean,
  events: CostEvents,
): TemplateResult {
  const result = session.timeline!.result;
  const place = row.place === null ? null : result.places[row.place];
  const selected = row.key === session.ui.cost;
  return html`<div
    id="cost-${index}"
    class="cost ${selected ? 'selected' : ''}"
    role="option"
    aria-selected=${selected}
    title=${place === null ? l10n.t('Time of {0} that no single line is the reason for', row.what) : `${place.file}:${place.line}`}
    ${styles({ top: `${top}px` })}
    @click=${() => events.pick(row)}
    @dblclick=${() => events.open(row)}
  >
    <span class="line-number num">${place?.line ?? ''}</span>
    ${
      place === null
        ? html`<span class="whole clip">${l10n.t('whole graph: {0}', row.what)}</span>`
        : html`<span class="clip mono"
            >${severalFiles ? html`<span class="dim">${baseName(place.file)} </span>` : nothing}${
              place.text === ''
                ? html`<span class="dim">${l10n.t('line {0}', place.line)}</span>`
                : pythonLine(place.text)
            }</span
          >`
    }
    <span class="num cost-time">${duration(secondsOf(row.time))}</span>
    <span class="cost-bar"
      >${row.stages.map((time, stage) =>
        time <= 0
          ? nothing
          : html`<i
              class="stage stage-${result.stages[stage].key}"
              title="${result.stages[stage].title} ${duration(secondsOf(time))}"
              ${styles({ width: `${most > 0 ? (100 * time) / most : 0}%` })}
            ></i>`,
      )}</span
    >
    <span class="num share">${total > 0 ? percent(row.time / total) : ''}</span>
  </div>`;
}
