/** The whole page of the graph panel as a function of what there is to show. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { LineageResult } from '../../src/shared/messages';
import { many } from '../shared/format';
import { splitter } from '../shared/splitter';
import { styles } from '../shared/styles';
import { icon, keysOverlay, messagePage, NOTHING_RECORDED, problemPage, waysOut, type Way } from '../shared/view';
import { type BarActions, legendView, stageBarView, toolBar } from './bars';
import type { Colouring } from './colours';
import type { GraphData } from './data';
import { groupDetails, nodeDetails, nothingSelected } from './details';
import type { Compared, DetailsActions } from './details-parts';
import { type DiffActions, diffBar, type DiffInput } from './diff-bar';
import { failureBanner } from './failure';
import { footer, type FootInput } from './foot';
import { countBoxes } from './groups';
import { KEY_TABLE } from './keys';
import type { GraphList, ListEvents } from './list';
import type { Id, Picture } from './picture';
import type { Crumb, StageBar } from './stages';
import type { UiState } from './state';
import { coloursOf, type GraphView } from './view';

/** Everything that the page depends on. */
export interface Shown {
  readonly ui: UiState;
  readonly noRecording: boolean;
  readonly running: boolean;
  readonly data: GraphData;
  readonly bar: StageBar;
  readonly crumb: Crumb | null;
  readonly picture: Picture;
  readonly list: GraphList;
  readonly open: ReadonlySet<string>;
  readonly selected: Id | null;
  readonly cursor: { file: string; line: number } | null;
  readonly expanded: ReadonlySet<string>;
  readonly keysShown: boolean;
  readonly menuOpen: boolean;
  readonly lineage: LineageResult | null | undefined;
  /** The bar of the comparison; null: one state is shown. */
  readonly diff: DiffInput | null;
  readonly pass: FootInput['pass'];
  readonly announced: string;
  readonly note: string;
}

export interface PageActions {
  readonly bars: BarActions;
  readonly diff: DiffActions;
  readonly details: DetailsActions;
  readonly list: ListEvents;
  go(way: Way): void;
  clearFilters(): void;
  zoom(factor: number): void;
  fit(): void;
  simpleLayout(): void;
  showDetails(): void;
  resizeDetails(width: number): void;
  escape(): void;
}

/** The page in place of the graph; null when there is a graph. */
function instead(shown: Shown, act: PageActions): TemplateResult | null {
  const { crumb, data, picture, running, ui } = shown;
  const go = (way: Way): void => act.go(way);
  if (shown.noRecording) return messagePage(NOTHING_RECORDED, go);
  if (data.problem) return problemPage(data.problem, go);
  if (!data.stages) return html`<div class="page" role="status"><p>${l10n.t('Loading the recording…')}</p></div>`;
  if (!crumb && running) {
    return messagePage(
      {
        icon: 'type-hierarchy-sub',
        title: l10n.t('No graph yet'),
        detail: l10n.t('Stages appear as they are recorded.'),
      },
      go,
    );
  }
  if (!crumb) {
    const detail =
      data.stages.note ?? l10n.t('Nothing in this run was compiled, or the compile ended before its first graph.');
    const again: Way[] = [
      { label: l10n.t('Compile and trace'), action: 'trace' },
      { label: l10n.t('Show output'), action: 'showOutput' },
    ];
    const ways = data.stages.note == null ? again : [];
    return messagePage({ icon: 'type-hierarchy-sub', title: l10n.t('No graph was recorded'), detail, ways }, go);
  }
  if (crumb.unavailable !== null) {
    const ways = waysOut(crumb.cause);
    const title = l10n.t('{0} was not recorded', crumb.label);
    return messagePage({ icon: 'circle-slash', title, detail: crumb.unavailable, ways }, go);
  }
  if (!picture.view) return html`<div class="page" role="status"><p>${l10n.t('Loading the graph…')}</p></div>`;
  if (picture.view.graph.size > 0) return null;
  const isOther = ui.hops > 0 || ui.path !== null || ui.changedOnly;
  const why =
    ui.thisLine && !isOther
      ? l10n.t('No node of this graph comes from the line at the editor cursor.')
      : ui.path?.to != null && !ui.thisLine
        ? l10n.t('No way leads between {0} and {1}.', ui.path.from, ui.path.to)
        : ui.changedOnly && ui.hops === 0 && !ui.thisLine
          ? l10n.t('These two states are the same.')
          : l10n.t('No node is left by all filters together.');
  return html`<div class="page" role="status">
    <h2>${l10n.t('No node matches')}</h2>
    <p>${why}</p>
    <div class="page-ways">
      <vscode-button
        @click=${() => {
          act.clearFilters();
        }}
        >${l10n.t('Clear filters')}</vscode-button
      >
    </div>
  </div>`;
}

function shownText(view: GraphView | null, open: ReadonlySet<string>): string {
  if (!view) return '';
  const { nodes, closed } = countBoxes(view.tree, open);
  const of = view.filtered ? l10n.t('{0} of {1}', many(view.graph.size, 'node'), view.total) : many(view.total, 'node');
  const { diff, change } = { diff: view.places.length > 0, change: view.graph.change };
  const removed = change ? change.states.filter((state) => state === 'removed').length : 0;
  const shown = nodes === view.graph.size ? of : l10n.t('{0} of {1} · {2} closed', nodes, of, many(closed, 'group'));
  return diff && removed > 0 ? `${shown} · ${l10n.t('{0} removed', removed)}` : shown;
}

function details(shown: Shown, act: DetailsActions): TemplateResult {
  const { picture, selected, ui, expanded, open, lineage, diff } = shown;
  const view = picture.view!;
  const { graph, tree } = view;
  const compared: Compared | null = diff && { diff: diff.diff, pass: diff.pass, places: view.places, at: diff.at };
  const input = { graph, tree, colouring: coloursOf(view, ui.colourBy), expanded, open, compared, lineage };
  if (typeof selected === 'number') return nodeDetails(selected, input, act);
  const group = selected === null ? undefined : tree.groups.get(selected);
  return group ? groupDetails(group, input, act) : nothingSelected(input, act);
}

/** A comparison's legend says what its borders mean, whatever the stripes are coloured by. */
function legendOf(view: GraphView, ui: UiState): Colouring {
  return coloursOf(view, view.graph.change && ui.colourBy === 'kind' ? 'change' : ui.colourBy);
}

/** In a narrower panel the legend would cover much of the drawing. */
const ROOMY = 700;
/** With this width and less the details are below the graph (graph.css). */
const STACKED = 720;

/** There is little room for the drawing, or the details leave it little height. */
function isTight({ ui, selected }: Shown): boolean {
  const { innerWidth } = window;
  return innerWidth < ROOMY || (innerWidth <= STACKED && selected !== null && !ui.detailsClosed);
}

function drawing(shown: Shown, isDrawn: boolean, act: PageActions): TemplateResult {
  const { picture, ui } = shown;
  const { view } = picture;
  const button = (name: string, label: string, key: string, run: () => void): TemplateResult =>
    html`<button class="tb ic" title="${label} (${key})" aria-label=${label} @click=${run}>${icon(name)}</button>`;
  return html`<div class="drawing" ?hidden=${!isDrawn || ui.view !== 'graph'}>
    <canvas
      id="canvas"
      data-drawn=${picture.drawnOf}
      tabindex="0"
      role="application"
      aria-label=${l10n.t('Graph. Press Alt+L for a list of the same nodes.')}
    ></canvas>
    ${isDrawn && view ? legendView(legendOf(view, ui), ui.legendClosed ?? isTight(shown), act.bars) : nothing}
    <div class="card zoom">
      ${button('zoom-in', l10n.t('Zoom in'), '+', () => act.zoom(1.25))}
      ${button('zoom-out', l10n.t('Zoom out'), '-', () => act.zoom(0.8))}
      ${button('screen-full', l10n.t('Whole graph'), '0', () => act.fit())}
    </div>
    <div class="card minimap"><canvas id="minimap" aria-hidden="true"></canvas></div>
    ${
      picture.slow
        ? html`<div class="card slow" role="status">
            ${l10n.t('Still laying out {0}', many(view?.graph.size ?? 0, 'node'))}
            <vscode-button secondary @click=${() => picture.cancel()}>${l10n.t('Cancel')}</vscode-button>
            <vscode-button @click=${() => act.simpleLayout()}>${l10n.t('Simple layout')}</vscode-button>
          </div>`
        : nothing
    }
  </div>`;
}

function failureOf({ data, picture, noRecording }: Shown, act: PageActions): TemplateResult | typeof nothing {
  const failure = data.stages?.failure;
  if (noRecording || data.problem !== null || failure == null) return nothing;
  const suspect = failure.node !== null && picture.view?.graph.byName.has(failure.node) === true;
  return failureBanner(failure, suspect, act.details);
}

export function page(shown: Shown, act: PageActions): TemplateResult {
  const { ui, data, bar, crumb, picture, selected } = shown;
  const { view } = picture;
  const other = instead(shown, act);
  const isDrawn = other === null && view !== null;
  const stages = shown.noRecording ? null : data.stages;
  const tools = {
    ui,
    crumb,
    matchCount: picture.matches.length,
    matchAt: typeof selected === 'number' ? picture.matches.indexOf(selected) : -1,
    cursor: shown.cursor,
    hasSelection: typeof selected === 'number',
    shownText: shownText(view, shown.open),
  };
  const listInput = view && {
    graph: view.graph,
    colouring: coloursOf(view, ui.colourBy),
    open: shown.open,
    selected,
    matches: picture.matchSet,
    groupMatches: picture.groupMatches,
    changes: view.changes,
  };
  return html`<header>
      <h1 class="hidden-text">${l10n.t('Graph')}</h1>
      ${
        stages
          ? stageBarView(
              stages.compiles,
              ui.compileId,
              bar,
              crumb,
              { diff: ui.diff !== null, menu: shown.menuOpen, drawn: view !== null },
              act.bars,
            )
          : nothing
      }
      ${stages && crumb?.unavailable === null ? toolBar(tools, act.bars) : nothing}
      ${shown.diff ? diffBar(shown.diff, act.diff) : nothing} ${failureOf(shown, act)}
    </header>
    ${data.loading ? html`<div class="progress" role="progressbar" aria-label=${l10n.t('Loading')}></div>` : nothing}
    <main>
      ${other ?? nothing} ${drawing(shown, isDrawn, act)}
      ${isDrawn && listInput && ui.view === 'list' ? shown.list.render(listInput, act.list) : nothing}
      ${
        isDrawn && !ui.detailsClosed
          ? html`${splitter({
                label: l10n.t('Width of the details'),
                width: ui.detailsWidth,
                least: 240,
                most: 480,
                right: true,
                set: (width) => act.resizeDetails(width),
              })}
              <aside
                class="details"
                aria-label=${l10n.t('Details')}
                tabindex="0"
                ${styles({ '--details': `${ui.detailsWidth}px` })}
              >
                ${details(shown, act.details)}
              </aside>`
          : nothing
      }
      ${
        isDrawn && ui.detailsClosed
          ? html`<button
              class="tb ic details-open"
              title=${l10n.t('Show details')}
              aria-label=${l10n.t('Show details')}
              @click=${() => act.showDetails()}
            >
              ${icon('layout-sidebar-right')}
            </button>`
          : nothing
      }
    </main>
    ${
      stages
        ? footer(
            {
              crumb,
              ui,
              running: shown.running,
              note: shown.note,
              calls: view?.graph.isSchedule ? view.graph.data.kernels.length : 0,
              pass: shown.pass,
            },
            act.bars,
          )
        : nothing
    }
    <div class="hidden-text" role="status" aria-live="polite">${shown.announced}</div>
    ${shown.keysShown ? keysOverlay(KEY_TABLE, () => act.escape()) : nothing}`;
}
