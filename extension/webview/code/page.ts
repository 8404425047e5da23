/** The whole page of the code panel as a function of the session. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { baseName, many } from '../shared/format';
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
import { colour, letter } from './groups';
import { GUTTER, gutter } from './gutter';
import type { CodeSession } from './session';
import { TABS, type Tab } from './state';
import { isStage, stageOf, whyNot } from './tabs';
import { columnView } from './view';

export const KEY_TABLE: KeyTable = [
  [
    l10n.t('Move'),
    [
      ['↑ ↓', l10n.t('group')],
      ['[ ]', l10n.t('kernel')],
      ['1 – 6', l10n.t('tab of the code')],
      ['Tab', l10n.t('column')],
      ['Esc', l10n.t('back')],
    ],
  ],
  [
    l10n.t('Look'),
    [
      ['Enter', l10n.t('go to the source')],
      ['F', l10n.t('follow the cursor')],
      ['Alt Z', l10n.t('wrap lines')],
      ['G', l10n.t('show in graph')],
      ['/', l10n.t('find in the code')],
      ['?', l10n.t('all keys')],
    ],
  ],
];

const FOOT_KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓', l10n.t('group')],
  ['[ ]', l10n.t('kernel')],
  ['1 – 6', l10n.t('code')],
  ['Enter', l10n.t('go to source')],
];

const NARROW = 1000;
const LEAST = 200;
const CODE_LEAST = 320;
/** Line number, letter and padding of a row. */
const SOURCE_EDGE = 34 + 10;
const CODE_EDGE = 44 + 20 + 14;
const MOST_IN_LEGEND = 10;

export interface PageActions {
  go(way: Way): void;
  showKeys(): void;
  escape(): void;
  openFile(): void;
  find(words: string, by: 1 | -1): void;
}

export interface Layout {
  readonly source: number;
  readonly graph: number;
  readonly graphShown: boolean;
}

export function layout({ ui }: CodeSession, width: number): Layout {
  const graphShown = width >= NARROW || ui.graphShown;
  const gutters = GUTTER * (graphShown ? 2 : 1);
  const most = width - gutters - CODE_LEAST;
  const within = (value: number, top: number): number => Math.max(LEAST, Math.min(top, value));
  const source = Math.round(within(ui.sourceWidth ?? width * 0.27, most - (graphShown ? LEAST : 0)));
  const graph = graphShown ? Math.round(within(ui.graphWidth ?? width * 0.27, most - source)) : 0;
  return { source, graph, graphShown };
}

/** Characters that a line of source and of code have room for. */
export function room(session: CodeSession, width: number, character: number): { source: number; code: number } {
  const { source, graph, graphShown } = layout(session, width);
  const code = width - source - graph - GUTTER * (graphShown ? 2 : 1);
  return {
    source: Math.max(16, Math.floor((source - SOURCE_EDGE - 12) / character)),
    code: Math.max(16, Math.floor((code - CODE_EDGE - 12) / character)),
  };
}

/** The page in place of the columns; null when there is code. */
function instead(session: CodeSession, act: PageActions): TemplateResult | null {
  const go = (way: Way): void => act.go(way);
  if (session.noRecording) return messagePage(NOTHING_RECORDED, go);
  if (session.problem) return problemPage(session.problem, go);
  if (!session.result)
    return html`<div class="skeleton" role="status" aria-label=${l10n.t('Loading the code')}>
      <i></i><i></i><i></i>
    </div>`;
  if (session.result.texts.length > 0) return null;
  if (session.running)
    return messagePage(
      { icon: 'sync', title: l10n.t('No code yet'), detail: l10n.t('It appears when a graph is compiled.') },
      go,
    );
  const { note, cause, compiles } = session.result;
  const ways: Way[] = [...waysOut(cause)];
  if (compiles.length === 0) ways.push({ label: l10n.t('Compile and trace'), action: 'trace' });
  return messagePage(
    {
      icon: cause === 'eager' ? 'circle-slash' : 'code',
      title: l10n.t('No generated code'),
      detail: (note ?? '').replace(/^No generated code: (\w)/, (_, first: string) => first.toUpperCase()),
      ways,
    },
    go,
  );
}

function toolbar(session: CodeSession, act: PageActions): TemplateResult {
  const { result, ui, kernel } = session;
  const graphs = result?.graphs ?? [];
  const lines = kernel === null ? 0 : linesOf(session);
  return html`<header class="bar tools">
    ${compilePicker(result?.compiles ?? [], ui.compileId, (id) => void session.chooseGraph(id, null))}
    ${
      graphs.length > 1
        ? html`<div class="seg" role="group" aria-label=${l10n.t('Graph')}>
            ${graphs.map(
              (graph) =>
                html`<button
                  class="tb"
                  aria-pressed=${graph === ui.graph}
                  @click=${() => void session.chooseGraph(ui.compileId, graph)}
                >
                  ${graph.slice(graph.lastIndexOf('/') + 1)}
                </button>`,
            )}
          </div>`
        : nothing
    }
    ${session.kernels.length > 0 && ui.kernel !== null ? kernelPicker(session, ui.kernel) : nothing}
    ${
      kernel === null
        ? nothing
        : html`<span class="badge" title=${l10n.t('Nodes of the graph in this kernel')}
              >${many(kernel.nodes.length, 'node')}</span
            ><span class="badge" title=${l10n.t('Lines of the source in this kernel')}>${many(lines, 'line')}</span>`
    }
    <span class="grow"></span>
    <button class="tb narrow" aria-pressed=${ui.graphShown} @click=${() => session.set({ graphShown: !ui.graphShown })}>
      ${icon('type-hierarchy')}${l10n.t('Graph')}
    </button>
    <button
      class="tb"
      aria-pressed=${ui.follow}
      title=${l10n.t("Go where the editor's cursor is (F)")}
      @click=${() => session.set({ follow: !ui.follow })}
    >
      ${icon('target')}<span class="wide">${l10n.t('Follow cursor')}</span>
    </button>
    <button
      class="tb"
      aria-pressed=${ui.wrap}
      title=${l10n.t('Wrap long lines (Alt+Z)')}
      @click=${() => session.set({ wrap: !ui.wrap })}
    >
      ${icon('word-wrap')}<span class="wide">${l10n.t('Wrap')}</span>
    </button>
    <button class="tb" title=${l10n.t('Open the source in the editor (Enter)')} @click=${() => act.openFile()}>
      ${icon('go-to-file')}<span class="wide">${l10n.t('Open file')}</span>
    </button>
  </header>`;
}

function linesOf(session: CodeSession): number {
  const all = session.result?.expressions ?? [];
  return new Set(session.kernel?.expressions.map((group) => `${all[group].file}:${all[group].line}`)).size;
}

function kernelPicker(session: CodeSession, at: number): TemplateResult {
  const { kernels } = session;
  return html`<div class="kernel-picker">
    <button
      class="tb ic"
      title=${l10n.t('Previous kernel ([)')}
      aria-label=${l10n.t('Previous kernel')}
      ?disabled=${at === 0}
      @click=${() => session.chooseKernel(at - 1)}
    >
      ${icon('chevron-left')}
    </button>
    <vscode-single-select
      class="kernel"
      label=${l10n.t('Kernel')}
      title=${l10n.t('Kernel {0} of {1}, in the order in which they are called: {2}', at + 1, kernels.length, kernels[at].name)}
      ?combobox=${kernels.length > 12}
      .value=${String(at)}
      @change=${(event: Event) => session.chooseKernel(Number((event.target as HTMLSelectElement).value))}
    >
      ${kernels.map(
        (one, i) =>
          html`<vscode-option value=${String(i)} ?selected=${i === at}
            >${i + 1} / ${kernels.length} ${one.name}</vscode-option
          >`,
      )}
    </vscode-single-select>
    <button
      class="tb ic"
      title=${l10n.t('Next kernel (])')}
      aria-label=${l10n.t('Next kernel')}
      ?disabled=${at >= kernels.length - 1}
      @click=${() => session.chooseKernel(at + 1)}
    >
      ${icon('chevron-right')}
    </button>
  </div>`;
}

function notes({ kernel }: CodeSession): TemplateResult | typeof nothing {
  const hint = kernel?.hints[0];
  if (!kernel?.fused && hint === undefined) return nothing;
  return html`<div class="notes">
    ${
      kernel?.fused
        ? html`<div class="note why">
            ${icon('git-merge')}
            <p><b>${l10n.t('Fused because')}</b> ${kernel.fused}</p>
          </div>`
        : nothing
    }
    ${
      hint === undefined
        ? nothing
        : html`<div class="note hint">
            ${icon('lightbulb')}
            <p><b>${l10n.t('Perf hint')}</b> ${hint}</p>
          </div>`
    }
  </div>`;
}

function sourceHead(session: CodeSession): TemplateResult {
  const { result, ui, cursor } = session;
  const files = result?.files ?? [];
  const name = ui.file === null ? l10n.t('No source') : baseName(ui.file);
  const line = cursor !== null && cursor.file === ui.file ? cursor.line : (session.place?.line ?? null);
  return html`<div class="hd">
    ${
      files.length > 1
        ? html`<vscode-single-select
            class="file"
            label=${l10n.t('File')}
            .value=${ui.file ?? ''}
            @change=${(event: Event) => session.set({ file: (event.target as HTMLSelectElement).value })}
          >
            ${files.map(({ path }) => html`<vscode-option value=${path} ?selected=${path === ui.file}>${baseName(path)}</vscode-option>`)}
          </vscode-single-select>`
        : html`<b class="clip" title=${ui.file ?? ''}>${name}</b>`
    }
    <span class="dim">${l10n.t('your source')}</span><span class="grow"></span>
    ${line === null ? nothing : html`<span class="dim num">${l10n.t('Ln {0}', line + 1)}</span>`}
  </div>`;
}

function graphHead({ result, kernel }: CodeSession): TemplateResult {
  const all = result?.nodes.length ?? 0;
  return html`<div class="hd">
    <b>${l10n.t('Post-grad graph')}</b
    ><span class="dim num">${all > 0 ? many(all, 'node') : l10n.t('not recorded')}</span><span class="grow"></span>
    ${kernel === null || all === 0 ? nothing : html`<span class="dim num">${l10n.t('{0} in this kernel', kernel.nodes.length)}</span>`}
  </div>`;
}

function codeHead(session: CodeSession, act: PageActions): TemplateResult {
  const { result, kernel, tab, text } = session;
  if (!result) return html``;
  const figures = kernel?.figures ?? [];
  const stage = stageOf(tab, kernel);
  return html`<div class="hd tabs">
    <div role="tablist" aria-label=${l10n.t('Code')}>
      ${TABS.map(({ id, label }, i) => {
        const why = whyNot(result, id, kernel);
        const shown = id === 'ptx' && stageOf(id, kernel) === 'amdgcn' ? 'AMDGCN' : label;
        return html`<button
          class="tab"
          role="tab"
          aria-selected=${id === tab}
          aria-disabled=${why !== null}
          tabindex=${id === tab ? 0 : -1}
          title=${why ?? `${label} (${i + 1})`}
          @click=${() => session.chooseTab(id)}
        >
          ${shown}
        </button>`;
      })}
    </div>
    <span class="grow"></span>
    <label class="field find">
      ${icon('search')}<input
        id="find"
        type="text"
        placeholder=${l10n.t('Find')}
        aria-label=${l10n.t('Find in the code')}
        spellcheck="false"
        @keydown=${(event: KeyboardEvent) => {
          if (event.key === 'Enter') act.find((event.target as HTMLInputElement).value, event.shiftKey ? -1 : 1);
        }}
      />
    </label>
    ${text?.preview === true ? html`<span class="badge" title=${text.limits.join('\n')}>${l10n.t('preview')}</span>` : nothing}
    ${
      figures.length > 0 && (tab === 'triton' || isStage(tab))
        ? html`<span class="dim num figures" title="${stage}: ${figures.join(' · ')}"
            >${figures.slice(0, 2).join(' · ')}</span
          >`
        : nothing
    }
  </div>`;
}

function legend(session: CodeSession): TemplateResult {
  const all = session.result?.expressions ?? [];
  const groups = [...(session.kernel?.expressions ?? [])].sort((a, b) => a - b).slice(0, MOST_IN_LEGEND);
  return html`<div class="legend" role="group" aria-label=${l10n.t('Expressions in this kernel')}>
    ${groups.map(
      (group) =>
        html`<button
          class="${colour(group)} ${group === session.ui.group ? 'chosen' : ''}"
          title=${all[group].text}
          @mouseenter=${() => session.hover(group)}
          @mouseleave=${() => session.hover(null)}
          @click=${() => session.chooseGroup(group)}
        >
          <i></i>${letter(group)} <span class="clip">${all[group].text}</span>
        </button>`,
    )}
  </div>`;
}

function columnsView(session: CodeSession, act: PageActions): TemplateResult {
  const width = window.innerWidth;
  const { source, graph, graphShown } = layout(session, width);
  const split = (label: string, size: number, key: 'sourceWidth' | 'graphWidth'): Parameters<typeof gutter>[3] => ({
    label,
    width: size,
    least: LEAST,
    most: Math.max(LEAST, width - GUTTER * 2 - CODE_LEAST - (key === 'sourceWidth' ? graph : source)),
    right: false,
    set: (next) => session.set({ [key]: next }),
  });
  const stageMissing = isStage(session.tab) && session.stage === null;
  return html`<div class="grid" ${styles({ '--source': `${source}px`, '--graph': `${graph}px` })}>
    <section class="part source-part" aria-label=${l10n.t('Source')}>
      ${sourceHead(session)}
      ${
        session.columns.source.rows.length > 0
          ? columnView(session, 'source', l10n.t('Source'))
          : html`<div class="page small"><p>${l10n.t('The text of the source is not in the recording.')}</p></div>`
      }
    </section>
    ${
      graphShown
        ? html`${gutter(session, 'source', 'graph', split(l10n.t('Width of the source'), source, 'sourceWidth'))}
            <section class="part graph-part" aria-label=${l10n.t('Graph')}>
              ${graphHead(session)}
              ${
                session.columns.graph.rows.length > 0
                  ? columnView(session, 'graph', l10n.t('Nodes of the graph'))
                  : html`<div class="page small">
                      <p>${session.result?.note ?? l10n.t('This graph is not recorded.')}</p>
                    </div>`
              }
            </section>
            ${gutter(session, 'graph', 'code', split(l10n.t('Width of the graph'), graph, 'graphWidth'))}`
        : gutter(session, 'source', 'code', split(l10n.t('Width of the source'), source, 'sourceWidth'))
    }
    <section class="part code-part" aria-label=${l10n.t('Generated code')}>
      ${codeHead(session, act)}
      ${
        session.columns.code.rows.length > 0
          ? columnView(session, 'code', l10n.t('Generated code'))
          : html`<div class="page small" role="status">
              <p>${stageMissing ? l10n.t('Loading…') : l10n.t('Nothing here.')}</p>
            </div>`
      }
    </section>
  </div>`;
}

export function page(session: CodeSession, keysShown: boolean, act: PageActions): TemplateResult {
  const other = instead(session, act);
  const note = session.running ? l10n.t('Recording…') : (session.result?.note ?? '');
  return html`${session.result && !session.noRecording ? toolbar(session, act) : nothing}
    ${session.loading ? html`<div class="progress" role="progressbar" aria-label=${l10n.t('Loading')}></div>` : nothing}
    <main>
      <h1 class="hidden-text">${l10n.t('Generated code')}</h1>
      ${other === null ? notes(session) : nothing} ${other ?? columnsView(session, act)}
    </main>
    ${
      other === null
        ? html`<footer class="bar foot">
            ${legend(session)}
            <span class="grow clip">${note}</span>
            <span class="keys">${FOOT_KEYS.map(([key, what]) => html`<span>${keyCaps(key)} ${what}</span>`)}</span>
            <button @click=${() => act.showKeys()}><kbd>?</kbd> ${l10n.t('all keys')}</button>
          </footer>`
        : nothing
    }
    <div class="hidden-text" role="status" aria-live="polite">${session.announced}</div>
    <span class="probe mono" id="character" aria-hidden="true">${'0'.repeat(100)}</span>
    ${keysShown ? keysOverlay(KEY_TABLE, () => act.escape()) : nothing}`;
}

export type { Tab };
