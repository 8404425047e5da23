/** The whole page of the timeline panel as a function of the session. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { duration, many, percent } from '../shared/format';
import { splitter } from '../shared/splitter';
import { styles } from '../shared/styles';
import {
  icon,
  keyCaps,
  type KeyTable,
  keysOverlay,
  messagePage,
  NOTHING_RECORDED,
  problemPage,
  type Way,
} from '../shared/view';
import { costs, type CostEvents } from './costs';
import { details, type DetailsActions } from './details';
import { list, type ListEvents } from './list';
import { marksOf, parts } from './model';
import { secondsOf, type TimelineSession } from './session';

const ALL = 'all';
/** Least height of what is below the chart, and what is left above it: the chart, the total and the bars. */
const LEAST = 120;
const LEFT_TO_THE_CHART = 280;

export const KEY_TABLE: KeyTable = [
  [
    l10n.t('Look around'),
    [
      ['W S', l10n.t('zoom in, out (or the wheel)')],
      ['A D', l10n.t('earlier, later (or Shift and the wheel)')],
      ['0', l10n.t('fit')],
      ['F', l10n.t('zoom to the selected span or range')],
      ['M', l10n.t('next mark; with Shift the one before')],
    ],
  ],
  [
    l10n.t('Select'),
    [
      ['↑ ↓', l10n.t('what it lies in, what lies in it')],
      ['← →', l10n.t('before, after it')],
      ['Enter', l10n.t('go to its line')],
      ['/', l10n.t('find a span; Enter goes to the next')],
      ['L', l10n.t('the spans as a list')],
      ['E', l10n.t('export for Perfetto')],
      ['Esc', l10n.t('back')],
    ],
  ],
];

const FOOT_KEYS: readonly (readonly [string, string])[] = [
  ['W A S D', l10n.t('zoom, pan')],
  ['M', l10n.t('next mark')],
  ['L', l10n.t('list')],
];

export interface PageActions {
  readonly costs: CostEvents;
  readonly list: ListEvents;
  readonly details: DetailsActions;
  readonly go: (way: Way) => void;
  zoom(factor: number): void;
  fit(): void;
  exportTrace(): void;
  toggleList(): void;
  showKeys(): void;
  escape(): void;
}

/** The page in place of the chart; null when there is one. */
function instead(session: TimelineSession, act: PageActions): TemplateResult | null {
  if (session.noRecording) return messagePage(NOTHING_RECORDED, act.go);
  if (session.problem) return problemPage(session.problem, act.go);
  if (session.timeline === null)
    return html`<div class="page" role="status"><p>${l10n.t('Loading the recording…')}</p></div>`;
  if (session.timeline.count > 0) return null;
  if (session.running)
    return messagePage(
      { icon: 'sync', title: l10n.t('Nothing compiled yet'), detail: l10n.t('Spans appear as they end.') },
      act.go,
    );
  return messagePage(
    {
      icon: 'watch',
      title: l10n.t('Nothing compiled in this run'),
      detail: l10n.t(
        'The timeline shows what torch.compile did and when. No compile began, or its times were not recorded.',
      ),
      ways: [{ label: l10n.t('Compile and trace'), action: 'trace' }],
    },
    act.go,
  );
}

function tools(session: TimelineSession, act: PageActions): TemplateResult {
  const { timeline, ui } = session;
  const { compiles, compileTitles } = timeline!.result;
  const finding = ui.text.trim() !== '';
  return html`<header class="bar tools">
    <vscode-single-select
      class="compile"
      label=${l10n.t('Compiles')}
      title=${l10n.t('Compiles')}
      ?combobox=${compiles.length > 12}
      .value=${ui.compileId ?? ALL}
      @change=${(event: Event) => {
        const { value } = event.target as HTMLSelectElement;
        session.set({ compileId: value === ALL || value === '' ? null : value });
        session.arrange();
      }}
    >
      <vscode-option value=${ALL} ?selected=${ui.compileId === null}
        >${l10n.t('All compiles ({0})', compiles.length)}</vscode-option
      >
      ${compiles.map((id, at) => html`<vscode-option value=${id} ?selected=${id === ui.compileId}>${compileTitles[at].replace(/\s+/, ' · ')}</vscode-option>`)}
    </vscode-single-select>
    <label class="field find">
      ${icon('search')}
      <input
        id="find"
        type="text"
        placeholder=${l10n.t('Find a span')}
        aria-label=${l10n.t('Find a span')}
        spellcheck="false"
        .value=${ui.text}
        @input=${(event: Event) => {
          session.set({ text: (event.target as HTMLInputElement).value });
          session.arrange();
        }}
        @keydown=${(event: KeyboardEvent) => {
          if (event.key === 'Enter') session.nextFound(event.shiftKey ? -1 : 1);
        }}
      />
      ${finding ? html`<span class="dim num found">${many(session.rows.length, 'span')}</span>` : nothing}
    </label>
    <span class="zoom">
      <button
        class="tb ic"
        title=${l10n.t('Zoom out (S)')}
        aria-label=${l10n.t('Zoom out')}
        @click=${() => act.zoom(1 / 1.6)}
      >
        ${icon('zoom-out')}
      </button>
      <button class="tb" title=${l10n.t('Show all (0)')} @click=${() => act.fit()}>${l10n.t('Fit')}</button>
      <button
        class="tb ic"
        title=${l10n.t('Zoom in (W)')}
        aria-label=${l10n.t('Zoom in')}
        @click=${() => act.zoom(1.6)}
      >
        ${icon('zoom-in')}
      </button>
    </span>
    <span class="grow"></span>
    <button
      class="tb"
      aria-pressed=${ui.list}
      title=${l10n.t('The spans as a list (L)')}
      @click=${() => act.toggleList()}
    >
      ${icon('list-tree')}<span class="label">${l10n.t('List')}</span>
    </button>
    <vscode-button
      title=${l10n.t('Write what is shown as a trace that Perfetto opens (E)')}
      @click=${() => act.exportTrace()}
      >${l10n.t('Export for Perfetto')}</vscode-button
    >
  </header>`;
}

/** T_total and its parts. */
function total(session: TimelineSession): TemplateResult | typeof nothing {
  const { timeline } = session;
  const known = parts(timeline!);
  if (known.length === 0) return nothing;
  const sum = known.reduce((all, { seconds }) => all + seconds, 0);
  const { overhead } = timeline!.result;
  return html`<section class="total" aria-label=${l10n.t('Total time')}>
    <div class="sum num" title=${l10n.t('T_total = capture + compile + guard + execute')}>${duration(sum)}</div>
    <div class="formula">
      <span>T<sub>total</sub></span> =
      ${known.map(
        ({ key, title, seconds }, at) =>
          html`${at > 0 ? html`<span class="dim"> + </span>` : nothing}<span class="term"
              ><i class="stage stage-${key}" aria-hidden="true"></i>${title}
              <b class="num">${duration(seconds)}</b></span
            >`,
      )}
      ${overhead === null ? nothing : html`<span class="dim"> · ${l10n.t('tracing added {0}', percent(overhead))}</span>`}
    </div>
    <div class="total-bar" aria-hidden="true">
      ${known.map(
        ({ key, title, seconds }) =>
          html`<div
            class="stage-fill stage-${key}"
            title="${title} ${duration(seconds)}"
            ${styles({ flex: `${seconds} 1 0` })}
          >
            <span>${title} ${duration(seconds)}</span>
          </div>`,
      )}
    </div>
  </section>`;
}

/** Costs and details, under a bar that sets their height. */
function lower(session: TimelineSession, act: PageActions): TemplateResult {
  const { bottom } = session.ui;
  const now = (): number => document.querySelector<HTMLElement>('.bottom')?.offsetHeight ?? LEAST;
  const height = bottom ?? now();
  return html`${splitter({
      label: l10n.t('Height of the costs and the details'),
      width: height,
      least: LEAST,
      most: Math.max(LEAST, window.innerHeight - LEFT_TO_THE_CHART),
      right: true,
      rows: true,
      set: (next) => session.set({ bottom: bottom === null ? now() + next - height : next }), // the chart has grown since
    })}
    <div class="bottom" ${styles({ '--bottom': `${bottom ?? 0}px` })}>
      ${costs(session, act.costs)}${details(session, act.details)}
    </div>`;
}

function foot(session: TimelineSession, act: PageActions): TemplateResult {
  const { timeline, rangeSums } = session;
  const { stages, spans } = timeline!.result;
  const used = new Set(spans.stage);
  const legend = stages.map((stage, at) => ({ stage, at })).filter(({ at }) => used.has(at));
  return html`<footer class="bar foot">
    ${
      rangeSums === null
        ? html`<span class="legend">
            ${session.running ? html`<span>${l10n.t('Recording…')}</span>` : nothing}
            ${legend.map(({ stage }) => html`<span><i class="stage stage-${stage.key}" aria-hidden="true"></i>${stage.title}</span>`)}
          </span>`
        : html`<span class="legend" role="status">
            <b class="num">${duration(secondsOf(rangeSums.time))}</b>
            ${legend
              .filter(({ at }) => rangeSums.stages[at] > 0)
              .map(
                ({ stage, at }) =>
                  html`<span class="num"
                    ><i class="stage stage-${stage.key}" aria-hidden="true"></i>${stage.title}
                    ${duration(secondsOf(rangeSums.stages[at]))}</span
                  >`,
              )}
          </span>`
    }
    <span class="grow"></span>
    <span class="keys">${FOOT_KEYS.map(([key, what]) => html`<span>${keyCaps(key)} ${what}</span>`)}</span>
    <button @click=${() => act.showKeys()}><kbd>?</kbd> ${l10n.t('all keys')}</button>
  </footer>`;
}

export function page(session: TimelineSession, keysShown: boolean, act: PageActions): TemplateResult {
  const other = instead(session, act);
  return html`${other === null ? tools(session, act) : nothing}
    ${session.loading ? html`<div class="progress" role="progressbar" aria-label=${l10n.t('Loading')}></div>` : nothing}
    <main class=${session.ui.bottom === null ? '' : 'is-sized'}>
      <h1 class="hidden-text">${l10n.t('Timeline')}</h1>
      ${
        other ??
        (session.ui.list
          ? list(session, act.list)
          : html`${total(session)}${session.chart.element}
              <ul class="hidden-text" aria-label=${l10n.t('Marks')}>
                ${marksOf(session.timeline!, session.filter)
                  .slice(0, 200)
                  .map(({ text }) => html`<li>${text}</li>`)}
              </ul>
              ${lower(session, act)}`)
      }
    </main>
    ${other === null ? foot(session, act) : nothing}
    <div class="hidden-text" role="status" aria-live="polite">${session.announced}</div>
    ${keysShown ? keysOverlay(KEY_TABLE, () => act.escape()) : nothing}`;
}
