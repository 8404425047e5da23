/** The timeline of the compile above the details: head, chart, what is selected in it, legend. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { duration, percent } from '../shared/format';
import { splitter } from '../shared/splitter';
import { styles } from '../shared/styles';
import { icon } from '../shared/view';
import { labelOf, type Timeline, timeOf, UNIT } from '../shared/flame/timeline';
import type { Strip } from './strip';

export const ZOOM = 1.6;
const HEIGHT = 182;
const LEAST = 72;

export interface StripActions {
  height(height: number): void;
  timeline(): void;
}

/** The strip with the bar below it, or a line that says why there is none; nothing while it loads. */
export function stripView(strip: Strip, height: number | null, act: StripActions): TemplateResult | typeof nothing {
  const { timeline, note } = strip;
  if (timeline === null)
    return note === null ? nothing : html`<p class="strip-note">${icon('watch')}<span class="clip">${note}</span></p>`;
  return html`<section class="strip" aria-label=${l10n.t('Compile timeline')}>
      ${head(strip, timeline, act)}
      <div class="strip-chart" ${styles({ '--height': `${height ?? HEIGHT}px` })}>${strip.chart.element}</div>
      ${readout(strip, timeline)} ${legend(timeline)}
    </section>
    ${splitter({
      label: l10n.t('Height of the timeline'),
      width: height ?? HEIGHT,
      least: LEAST,
      most: Math.max(LEAST, Math.round(window.innerHeight * 0.6)),
      right: false,
      rows: true,
      set: (next) => act.height(next),
    })}`;
}

function head({ chart }: Strip, { result }: Timeline, act: StripActions): TemplateResult {
  const button = (name: string, title: string, label: string, act_: () => void): TemplateResult =>
    html`<button class="tb ic" title=${title} aria-label=${label} @click=${act_}>${icon(name)}</button>`;
  return html`<div class="bar strip-head">
    <h2 class="caption">${l10n.t('Compile timeline')}</h2>
    <span class="dim num" title=${l10n.t('Time in which this compile did nothing is left out')}
      >${duration(result.time / UNIT)}</span
    >
    <span class="grow"></span>
    ${button('zoom-in', l10n.t('Zoom in (+)'), l10n.t('Zoom in'), () => chart.zoom(ZOOM))}
    ${button('zoom-out', l10n.t('Zoom out (-)'), l10n.t('Zoom out'), () => chart.zoom(1 / ZOOM))}
    ${button('screen-full', l10n.t('Show all (0)'), l10n.t('Show all'), () => {
      chart.camera = null;
    })}
    ${button('link-external', l10n.t('Show in timeline'), l10n.t('Show in timeline'), () => act.timeline())}
  </div>`;
}

function readout({ span }: Strip, timeline: Timeline): TemplateResult {
  if (span === null)
    return html`<div class="strip-readout dim">
      ${l10n.t('Select a block to see what it is and how long it took.')}
    </div>`;
  const { spans, time } = timeline.result;
  const parent = spans.parent[span];
  const from = duration(spans.start[span] / UNIT);
  return html`<div class="strip-readout num">
    <b class="mono clip" title=${labelOf(timeline, span)}>${labelOf(timeline, span)}</b>
    <span class="dim clip where"
      >${parent < 0 ? l10n.t('begins at {0}', from) : l10n.t('in {0}, from {1}', labelOf(timeline, parent), from)}</span
    >
    <span class="grow"></span>
    ${timeline.children.has(span) ? html`<span class="dim">${l10n.t('self {0}', duration(spans.own[span] / UNIT))}</span>` : nothing}
    <span>${duration(timeOf(timeline, span) / UNIT)}</span>
    <span class="dim" title=${l10n.t('of the whole compile')}>${percent(timeOf(timeline, span) / time)}</span>
  </div>`;
}

function legend({ result }: Timeline): TemplateResult {
  const used = new Set(result.spans.stage);
  return html`<div class="strip-legend">
    ${result.stages.map(({ key, title }, at) =>
      used.has(at) ? html`<span><i class="stage stage-${key}" aria-hidden="true"></i>${title}</span>` : nothing,
    )}
  </div>`;
}
