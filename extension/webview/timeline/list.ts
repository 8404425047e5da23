/** The same spans as a list, for screen readers and for whoever would rather read. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { baseName, count, duration } from '../shared/format';
import { styles } from '../shared/styles';
import { compileOf, labelOf, placeOf, timeOf } from '../shared/flame/timeline';
import { secondsOf, type TimelineSession } from './session';

const INDENT = 14;

export interface ListEvents {
  pick(span: number): void;
  open(span: number): void;
}

export function list(session: TimelineSession, events: ListEvents): TemplateResult {
  const { timeline, rows, spanList } = session;
  if (timeline === null) return html``;
  const chosen = session.span === null ? -1 : rows.indexOf(session.span);
  return html`<section class="span-list" aria-label=${l10n.t('Spans')}>
    <div class="span-head" aria-hidden="true">
      <span>${l10n.t('{0} spans, by thread and time', count(rows.length))}</span><span>${l10n.t('Stage')}</span
      ><span>${l10n.t('Compile')}</span><span>${l10n.t('Line')}</span><span class="right">${l10n.t('From')}</span
      ><span class="right">${l10n.t('Total')}</span><span class="right">${l10n.t('Self')}</span>
    </div>
    <div class="span-scroll" id="spans">
      <div
        class="span-rows"
        role="tree"
        tabindex="0"
        aria-label=${l10n.t('All spans')}
        aria-activedescendant=${chosen >= 0 ? `span-${chosen}` : nothing}
        ${styles({ height: `${spanList.height}px` })}
      >
        ${spanList.rows.filter(({ index }) => index < rows.length).map(({ index, start }) => row(session, rows[index], index, start, events))}
      </div>
    </div>
  </section>`;
}

function row(session: TimelineSession, span: number, index: number, top: number, events: ListEvents): TemplateResult {
  const timeline = session.timeline!;
  const { spans, stages, places, lanes } = timeline.result;
  const place = placeOf(timeline, span);
  const stage = stages[spans.stage[span]];
  const time = (value: number): string => duration(secondsOf(value));
  const selected = span === session.span;
  const depth = spans.row[span];
  return html`<div
    id="span-${index}"
    class="span-row ${selected ? 'selected' : ''}"
    role="treeitem"
    aria-level=${depth + 1}
    aria-selected=${selected}
    ${styles({ top: `${top}px` })}
    @click=${() => events.pick(span)}
    @dblclick=${() => events.open(span)}
  >
    <span class="clip" ${styles({ 'padding-left': `${Math.min(depth, 20) * INDENT}px` })}>
      <i class="stage stage-${stage.key}" aria-hidden="true"></i
      ><span class="mono">${labelOf(timeline, span)}</span
      >${depth === 0 ? html` <span class="dim">${lanes[spans.lane[span]].name}</span>` : nothing}
    </span>
    <span class="clip dim">${stage.title}</span>
    <span class="clip">${compileOf(timeline, span) ?? ''}</span>
    <span class="clip">${place < 0 ? '' : `${baseName(places[place].file)}:${places[place].line}`}</span>
    <span class="num right">${time(spans.start[span])}</span>
    <span class="num right">${time(timeOf(timeline, span))}</span>
    <span class="num right">${time(spans.own[span])}</span>
  </div>`;
}
