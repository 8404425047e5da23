/** The whole page of the pass panel as a function of the session. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { stepName } from '../../src/shared/steps';
import { count, duration, many, percent, signed } from '../shared/format';
import { splitter } from '../shared/splitter';
import { styles } from '../shared/styles';
import {
  compilePicker,
  icon,
  keyCaps,
  type KeyTable,
  keysOverlay,
  messagePage,
  NOTHING_RECORDED,
  problemPage,
  waysOut,
  type Way,
} from '../shared/view';
import { comparable } from './changes';
import { type DetailsActions, noPassSelected, passDetails, phaseDetails, UNSEEN } from './details';
import { columns, type ListEvents } from './list';
import { graphSpans, type Kpi } from './model';
import type { PassSession } from './session';
import { isUnrun } from './steps';
import { type StripActions, stripView } from './strip-view';

export const KEY_TABLE: KeyTable = [
  [
    l10n.t('Move'),
    [
      ['↑ ↓', l10n.t('pass')],
      ['Alt ↑ ↓', l10n.t('changed pass')],
      ['← →', l10n.t('close, open a phase')],
      ['Home End', l10n.t('first, last')],
      ['Esc', l10n.t('back')],
    ],
  ],
  [
    l10n.t('Look'),
    [
      ['Enter', l10n.t('text diff in the diff editor')],
      ['M', l10n.t('all shown changes in one diff editor')],
      ['G', l10n.t('show in graph')],
      ['H', l10n.t('hide unchanged')],
      ['/', l10n.t('filter')],
      ['?', l10n.t('all keys')],
    ],
  ],
  [
    l10n.t('In the timeline'),
    [
      ['T', l10n.t('go there')],
      ['← →', l10n.t('block before, after')],
      ['↑ ↓', l10n.t('block around, within')],
      ['+ −', l10n.t('zoom in, out')],
      ['0', l10n.t('show all')],
      ['Esc', l10n.t('back to the list')],
    ],
  ],
];

const LIST_LEAST = 380;

const FOOT_KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓', l10n.t('pass')],
  ['Alt ↓', l10n.t('next changed')],
  ['H', l10n.t('hide unchanged')],
  ['/', l10n.t('filter')],
  ['Enter', l10n.t('diff editor')],
  ['G', l10n.t('graph')],
];

export interface PageActions {
  readonly list: ListEvents;
  readonly details: DetailsActions;
  readonly strip: StripActions;
  readonly go: (way: Way) => void;
  hideUnchanged(): void;
  compareAll(): void;
  showKeys(): void;
  escape(): void;
}

function kpis(session: PassSession): Kpi[] {
  const { passes, changed, seconds } = session.model;
  const { compileSeconds, overhead } = session.result ?? { compileSeconds: null, overhead: null };
  const found: Kpi[] = [
    {
      strong: count(passes.length),
      text: passes.length === 1 ? l10n.t('pass') : l10n.t('passes'),
      note: session.model.unseen ? l10n.t('changes not recorded') : l10n.t('{0} changed the graph', count(changed)),
    },
  ];
  const share =
    compileSeconds !== null && compileSeconds > 0
      ? l10n.t('{0} of the {1} compile', percent(seconds / compileSeconds), duration(compileSeconds))
      : l10n.t('in passes');
  found.push({ strong: duration(seconds), text: '', note: share });
  const spans = graphSpans(session.model);
  const split = spans.filter(({ direction }) => /^(forward|backward)$/.test(direction));
  const main =
    spans.find(({ direction }) => direction === 'joint') ?? spans.find((span) => !split.includes(span)) ?? spans.at(0);
  if (main)
    found.push({
      strong: main.before === main.after ? count(main.after) : `${count(main.before)} → ${count(main.after)}`,
      text: l10n.t('nodes'),
      note:
        main.delta === null
          ? l10n.t('{0} graph', main.direction)
          : l10n.t('{0} graph, Δ {1}', main.direction, signed(main.delta)),
    });
  if (split.length > 1 && main && !split.includes(main)) {
    const total = split.every((span) => span.delta !== null)
      ? split.reduce((sum, span) => sum + (span.delta ?? 0), 0)
      : null;
    found.push({
      strong: split.map((span) => count(span.after)).join(' + '),
      text: l10n.t('nodes'),
      note: total === null ? l10n.t('after the split') : l10n.t('after the split, Δ {0}', signed(total)),
    });
  }
  if (overhead !== null) found.push({ strong: `η ${percent(overhead)}`, text: '', note: l10n.t('tracing overhead') });
  return found;
}

/** The page in place of the list; null when there are passes. */
function instead(session: PassSession, act: PageActions): TemplateResult | null {
  if (session.noRecording) return messagePage(NOTHING_RECORDED, act.go);
  if (session.problem) return problemPage(session.problem, act.go);
  if (!session.result) return html`<div class="page" role="status"><p>${l10n.t('Loading the recording…')}</p></div>`;
  if (!session.model.steps.every(isUnrun)) return null;
  if (session.running)
    return messagePage(
      { icon: 'sync', title: l10n.t('No pass yet'), detail: l10n.t('Passes appear as they run.') },
      act.go,
    );
  const { note, cause } = session.result;
  const ways: Way[] = [...waysOut(cause)];
  if (session.result.compiles.length === 0) ways.push({ label: l10n.t('Compile and trace'), action: 'trace' });
  return messagePage(
    {
      icon: cause === 'eager' ? 'circle-slash' : 'layers',
      title:
        cause === 'cache'
          ? l10n.t('This graph came from the cache, so no passes ran')
          : l10n.t('No passes were recorded'),
      detail: note ?? l10n.t('Nothing in this run reached the passes of the compiler.'),
      ways,
      more: unrunView(session, act),
    },
    act.go,
  );
}

/** The program's own passes, which did not run either. */
function unrunView({ model }: PassSession, act: PageActions): TemplateResult {
  if (model.steps.length === 0) return html``;
  return html`<div class="unrun">
    <h3>${l10n.t('Your passes that did not run')}</h3>
    <ul>
      ${model.steps.map(
        (pass) =>
          html`<li>
            ${
              pass.file === null
                ? html`<span class="mono">${stepName(pass)}</span>`
                : html`<button class="link mono" title=${pass.file} @click=${() => act.details.source(pass)}>
                    ${stepName(pass)}
                  </button>`
            }
            <span class="dim">${pass.slot}</span><br />${pass.message}
          </li>`,
      )}
    </ul>
  </div>`;
}

function summary(session: PassSession): TemplateResult {
  return html`<header class="bar summary">
    ${compilePicker(session.result?.compiles ?? [], session.ui.compileId, (compileId) => {
      session.set({ compileId, pass: null, phase: null, closed: [], scroll: 0, camera: null });
      void session.load();
    })}
    <div class="kpis">
      ${
        session.model.passes.length === 0
          ? nothing
          : kpis(session).map(
              ({ strong, text, note }) =>
                html`<div class="kpi">
                  <div><b class="num">${strong}</b> ${text}</div>
                  <div class="note">${note}</div>
                </div>`,
            )
      }
    </div>
  </header>`;
}

/** Width of the list: what was chosen, else in proportion. */
function listWidth({ ui }: PassSession): number {
  const most = Math.max(LIST_LEAST, window.innerWidth * 0.6);
  return Math.max(LIST_LEAST, Math.min(most, ui.listWidth ?? Math.min(640, window.innerWidth * 0.5)));
}

function listSplitter(session: PassSession): TemplateResult {
  return splitter({
    label: l10n.t('Width of the list'),
    width: listWidth(session),
    least: LIST_LEAST,
    most: Math.max(LIST_LEAST, window.innerWidth * 0.6),
    right: false,
    set: (width) => session.set({ listWidth: width }),
  });
}

function left(session: PassSession, act: PageActions): TemplateResult {
  const shown = session.list.rows.filter((row) => row.type === 'pass').length;
  const total = session.model.steps.length;
  const filtering = session.ui.text.trim() !== '';
  return html`<section
    class="left"
    aria-label=${l10n.t('Passes')}
    ${styles({ '--list': `${listWidth(session)}px`, ...columns(session.model) })}
  >
    <div class="bar tools">
      <label class="field filter">
        ${icon('filter')}
        <input
          id="filter"
          type="text"
          placeholder=${l10n.t('Filter passes')}
          aria-label=${l10n.t('Filter passes')}
          spellcheck="false"
          .value=${session.ui.text}
          @input=${(event: Event) => {
            session.set({ text: (event.target as HTMLInputElement).value });
            session.arrange();
          }}
        />
      </label>
      <button
        class="tb"
        aria-pressed=${session.ui.hideUnchanged}
        title=${session.model.unseen ? UNSEEN : l10n.t('Hide passes that changed nothing (H)')}
        ?disabled=${session.model.unseen}
        @click=${() => act.hideUnchanged()}
      >
        ${icon(session.ui.hideUnchanged ? 'eye-closed' : 'eye')}${l10n.t('Hide unchanged')}
      </button>
      <button
        class="tb ic"
        title=${l10n.t('All shown changes in one diff editor (M)')}
        aria-label=${l10n.t('All shown changes in one diff editor')}
        ?disabled=${comparable(session.list.rows).length === 0}
        @click=${() => act.compareAll()}
      >
        ${icon('diff-multiple')}
      </button>
      <span class="grow"></span>
      <span class="dim num"
        >${filtering || session.ui.hideUnchanged ? l10n.t('{0} of {1}', shown, many(total, 'step')) : ''}</span
      >
    </div>
    <div class="head" aria-hidden="true">
      <span></span><span>${l10n.t('Pass, in order')}</span
      ><span class="time"><span class="track">${l10n.t('Time')}</span><span></span></span
      ><span class="nodes">${l10n.t('Nodes')}</span><span class="delta">Δ</span>
    </div>
    ${
      session.list.rows.length === 0
        ? html`<div class="page" role="status">
            <h2>${l10n.t('No pass matches')}</h2>
            <div class="page-ways">
              <vscode-button
                @click=${() => {
                  session.set({ text: '', hideUnchanged: false });
                  session.arrange();
                }}
                >${l10n.t('Clear filters')}</vscode-button
              >
            </div>
          </div>`
        : session.list.render(session.model, session.ui.pass, session.ui.phase, act.list)
    }
  </section>`;
}

function right(session: PassSession, act: PageActions): TemplateResult {
  const pass = session.selected;
  const phase = session.model.phases.find((p) => (pass ? p.passes.includes(pass) : p.key === session.ui.phase));
  const content =
    pass && phase
      ? passDetails(pass, phase, session.model, session.preview, act.details)
      : phase
        ? phaseDetails(phase, session.model)
        : noPassSelected();
  return html`<div class="right">
    ${stripView(session.strip, session.ui.stripHeight, act.strip)}
    <section class="selected-pass" aria-label=${l10n.t('Selected pass')}>${content}</section>
  </div>`;
}

export function page(session: PassSession, keysShown: boolean, act: PageActions): TemplateResult {
  const other = instead(session, act);
  const note = session.running ? l10n.t('Recording…') : (session.result?.note ?? '');
  return html`${session.result && !session.noRecording ? summary(session) : nothing}
    ${session.loading ? html`<div class="progress" role="progressbar" aria-label=${l10n.t('Loading')}></div>` : nothing}
    <main>
      <h1 class="hidden-text">${l10n.t('Passes')}</h1>
      ${other ?? html`${left(session, act)}${listSplitter(session)}${right(session, act)}`}
    </main>
    ${
      other === null
        ? html`<footer class="bar foot">
            <span class="clip">${note}</span>
            ${waysOut(session.result?.cause).map(
              (way) => html`<button class="link" @click=${() => act.go(way)}>${way.label}</button>`,
            )}
            <span class="grow"></span>
            <span class="keys">${FOOT_KEYS.map(([key, what]) => html`<span>${keyCaps(key)} ${what}</span>`)}</span>
            <button @click=${() => act.showKeys()}><kbd>?</kbd> ${l10n.t('all keys')}</button>
          </footer>`
        : nothing
    }
    <div class="hidden-text" role="status" aria-live="polite">${session.announced}</div>
    ${keysShown ? keysOverlay(KEY_TABLE, () => act.escape()) : nothing}`;
}
