/** What there is to say of the selected span or line. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { baseName, count, duration, percent } from '../shared/format';
import { styles } from '../shared/styles';
import {
  compileOf,
  graphOf,
  kernelOf,
  labelOf,
  nameOf,
  placeOf,
  timeOf,
  type Timeline,
} from '../shared/flame/timeline';
import { type CostRow } from './model';
import { secondsOf, type TimelineSession } from './session';

const MOST_CHILDREN = 6;

export interface DetailsActions {
  source(place: number): void;
  passes(span: number): void;
  graph(span: number): void;
  code(span: number): void;
  pick(span: number): void;
}

export function details(session: TimelineSession, act: DetailsActions): TemplateResult {
  const { timeline, span, selectedCost } = session;
  const content =
    timeline === null
      ? nothing
      : span !== null
        ? spanDetails(timeline, span, act)
        : selectedCost !== null
          ? costDetails(timeline, selectedCost, act)
          : overview(timeline);
  const title =
    span === null && selectedCost !== null
      ? l10n.t('Selected line')
      : span === null
        ? l10n.t('Stages')
        : l10n.t('Selected span');
  return html`<section class="selected-span" aria-label=${title}>
    <h2 class="part">${title}</h2>
    <div class="details" tabindex="0" role="group" aria-label=${title}>${content}</div>
  </section>`;
}

const field = (name: string, value: unknown): TemplateResult =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`;

function spanDetails(timeline: Timeline, span: number, act: DetailsActions): TemplateResult {
  const { spans, stages, places } = timeline.result;
  const time = timeOf(timeline, span);
  const own = spans.own[span];
  const shares = timeline.children.has(span);
  const compile = compileOf(timeline, span);
  const kernel = kernelOf(timeline, span);
  const step = timeline.steps.get(span);
  const place = placeOf(timeline, span);
  const name = nameOf(timeline, span);
  const graph = graphOf(timeline, span);
  const whole = rootOf(timeline, span);
  const stage = stages[spans.stage[span]];
  const passes = inside(timeline, span).filter((one) => timeline.steps.has(one));
  return html`<div class="name">
      <i class="stage stage-${stage.key}"></i
      ><span class="mono clip" title=${labelOf(timeline, span)}>${labelOf(timeline, span)}</span>
    </div>
    <dl>
      ${field(
        shares ? l10n.t('Total · self') : l10n.t('Total'),
        html`<span class="num"
          >${duration(secondsOf(time))}${shares ? ` · ${duration(secondsOf(own))}` : ''}${
            whole !== span && timeOf(timeline, whole) > 0
              ? html` <span class="dim"
                  >${l10n.t('({0} of {1})', percent(time / timeOf(timeline, whole)), labelOf(timeline, whole).split(' · ')[0] ?? '')}</span
                >`
              : nothing
          }</span
        >`,
      )}
      ${field(l10n.t('From'), html`<span class="num">${duration(secondsOf(spans.start[span]))}</span> <span class="dim">· ${timeline.result.lanes[spans.lane[span]].name}</span>`)}
      ${field(l10n.t('Stage'), html`${stage.title}${name === labelOf(timeline, span) ? nothing : html` <span class="dim mono">${name}</span>`}`)}
      ${compile === null ? nothing : field(l10n.t('Compile'), titleOf(timeline, compile))}
      ${graph === null ? nothing : field(l10n.t('Graph'), graph.slice(0, 300))}
      ${kernel === null ? nothing : field(l10n.t('Kernel'), html`<span class="mono" title=${kernel}>${kernel}</span>`)}
      ${step === undefined ? nothing : field(l10n.t('Nodes'), html`<span class="num">${nodes(step.nodesBefore, step.nodesAfter)}</span> · ${step.changed ? l10n.t('changed the graph') : step.nodesBefore === null ? l10n.t('changes not recorded') : l10n.t('unchanged')}${step.custom ? ` · ${l10n.t('custom')}` : ''}`)}
      ${
        passes.length === 0
          ? nothing
          : field(
              l10n.t('Passes'),
              l10n.t(
                '{0}, {1} changed the graph',
                count(passes.length),
                count(passes.filter((one) => timeline.steps.get(one)?.changed).length),
              ),
            )
      }
      ${place < 0 ? nothing : field(l10n.t('Line'), html`<button class="link" title=${places[place].file} @click=${() => act.source(place)}>${baseName(places[place].file)}:${places[place].line}</button>`)}
      ${timeline.open.has(span) ? field(l10n.t('Ended'), timeline.result.running ? l10n.t('not yet') : l10n.t('no: its process ended')) : nothing}
    </dl>
    ${children(timeline, span, act)}
    <div class="acts">
      ${step === undefined && passes.length === 0 ? nothing : html`<vscode-button secondary @click=${() => act.passes(span)}>${l10n.t('Show passes')}</vscode-button>`}
      ${compile === null || (step?.snapshot ?? null) === null ? nothing : html`<vscode-button secondary @click=${() => act.graph(span)}>${l10n.t('Show graph')}</vscode-button>`}
      ${kernel === null ? nothing : html`<vscode-button secondary @click=${() => act.code(span)}>${l10n.t('Show code')}</vscode-button>`}
      ${place < 0 ? nothing : html`<vscode-button secondary @click=${() => act.source(place)}>${l10n.t('Go to line {0}', places[place].line)}</vscode-button>`}
    </div>`;
}

const nodes = (before: number | null, after: number | null): string =>
  before === null || after === null ? '–' : before === after ? count(after) : `${count(before)} → ${count(after)}`;

const titleOf = ({ result }: Timeline, compile: string): string => {
  const title = result.compileTitles[result.compiles.indexOf(compile)] ?? compile;
  return title.replace(/\s+/, ' · ');
};

function rootOf({ result }: Timeline, span: number): number {
  let root = span;
  while (result.spans.parent[root] >= 0) root = result.spans.parent[root];
  return root;
}

/** The children, and theirs where a child is of the same stage: enough to find the passes of a phase. */
const inside = (timeline: Timeline, span: number): readonly number[] => timeline.children.get(span) ?? [];

/** Bars of what took most of a span: its children by time, those of one name together, and itself. */
function children(timeline: Timeline, span: number, act: DetailsActions): TemplateResult {
  const own = timeline.result.spans.own[span];
  const kept = [...inside(timeline, span)].sort((a, b) => timeOf(timeline, b) - timeOf(timeline, a));
  if (kept.length === 0) return html``;
  const most = Math.max(own, ...kept.slice(0, 1).map((one) => timeOf(timeline, one)));
  const bar = (time: number, stage: number): TemplateResult =>
    html`<i
      class="stage stage-${timeline.result.stages[stage].key}"
      ${styles({ width: `${most > 0 ? Math.max((100 * time) / most, 1) : 0}%` })}
    ></i>`;
  const left = kept.length - MOST_CHILDREN;
  return html`<ul class="kids">
    ${
      own > 0
        ? html`<li>
            <span class="clip dim">${l10n.t('self')}</span
            ><span class="kid-bar">${bar(own, timeline.result.spans.stage[span])}</span
            ><span class="num">${duration(secondsOf(own))}</span>
          </li>`
        : nothing
    }
    ${kept
      .slice(0, MOST_CHILDREN)
      .map(
        (one) =>
          html`<li>
            <button class="link mono clip" title=${labelOf(timeline, one)} @click=${() => act.pick(one)}>
              ${labelOf(timeline, one)}</button
            ><span class="kid-bar">${bar(timeOf(timeline, one), timeline.result.spans.stage[one])}</span
            ><span class="num">${duration(secondsOf(timeOf(timeline, one)))}</span>
          </li>`,
      )}
    ${left > 0 ? html`<li class="dim">${l10n.t('and {0} more', count(left))}</li>` : nothing}
  </ul>`;
}

function costDetails(timeline: Timeline, row: CostRow, act: DetailsActions): TemplateResult {
  const place = row.place === null ? null : timeline.result.places[row.place];
  return html`<div class="name">
      <span class="mono clip"
        >${place === null ? l10n.t('whole graph: {0}', row.what) : `${baseName(place.file)}:${place.line}`}</span
      >
    </div>
    ${place === null ? html`<p class="dim">${l10n.t('What no single line is the reason for: it is of the whole graph.')}</p>` : html`<pre class="mono">${place.text}</pre>`}
    ${stageBars(timeline, row.stages)}
    <div class="acts">
      ${row.place === null || place === null ? nothing : html`<vscode-button secondary @click=${() => act.source(row.place!)}>${l10n.t('Go to line {0}', place.line)}</vscode-button>`}
    </div>`;
}

/** With nothing selected: where the time of all went. */
function overview(timeline: Timeline): TemplateResult {
  const stages = timeline.result.stages.map(() => 0);
  const { spans, lanes } = timeline.result;
  for (let span = 0; span < timeline.count; span++) {
    if (lanes[spans.lane[span]].kind === 'thread') stages[spans.stage[span]] += spans.own[span];
  }
  return html`<p class="dim">${l10n.t('Time of the threads that compile, each moment once.')}</p>
    ${stageBars(timeline, stages)}`;
}

function stageBars({ result }: Timeline, stages: readonly number[]): TemplateResult {
  const most = Math.max(...stages);
  const order = stages.map((time, stage) => ({ time, stage })).filter(({ time }) => time > 0);
  return html`<ul class="kids">
    ${order.map(
      ({ time, stage }) =>
        html`<li>
          <span class="clip">${result.stages[stage].title}</span
          ><span class="kid-bar"
            ><i
              class="stage stage-${result.stages[stage].key}"
              ${styles({ width: `${(100 * time) / most}%` })}
            ></i></span
          ><span class="num">${duration(secondsOf(time))}</span>
        </li>`,
    )}
  </ul>`;
}
