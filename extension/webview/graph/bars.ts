/** Stage bar, tool bar and legend of the graph panel. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { CompileInfo } from '../../src/shared/messages';
import { baseName, count, signed } from '../shared/format';
import { compilePicker, icon } from '../shared/view';
import type { Colouring } from './colours';
import { type MenuActions, menuView } from './menu';
import { swatch } from './details-parts';
import { nodesOf, stageMenu } from './stage-menu';
import type { Crumb, StageBar } from './stages';
import type { ColourBy, UiState } from './state';

export interface BarActions extends MenuActions {
  compile(id: string): void;
  stage(key: string): void;
  position(position: 'before' | 'after'): void;
  query(text: string): void;
  nextMatch(step: 1 | -1): void;
  toggleChanged(): void;
  toggleHops(): void;
  togglePath(): void;
  toggleLine(): void;
  toggleDiff(): void;
  colourBy(by: ColourBy): void;
  view(view: 'graph' | 'list'): void;
  legend(closed: boolean): void;
  keys(): void;
  passes(): void;
}

function crumbTab(crumb: Crumb, selected: boolean, act: BarActions): TemplateResult {
  const { before, after, delta } = crumb;
  const nodes = nodesOf(crumb);
  const rewritten = delta === 0 && crumb.changed;
  const title =
    crumb.unavailable !== null
      ? `${crumb.label}: ${crumb.unavailable}`
      : rewritten
        ? l10n.t('Rewritten in place: the same number of nodes and edges')
        : delta === null
          ? crumb.label
          : `Δ = (${before!.nodes} − ${after!.nodes}) + (${before!.edges} − ${after!.edges}) = ${signed(delta)}`;
  return html`<button
    class="stage ${crumb.unavailable === null ? '' : 'unavailable'}"
    role="tab"
    aria-selected=${selected}
    tabindex=${selected ? 0 : -1}
    data-key=${crumb.key}
    title=${title}
    @click=${() => act.stage(crumb.key)}
  >
    ${crumb.label} ${nodes === '' ? nothing : html`<small class="num">${nodes}</small>`}
    ${delta === null ? nothing : html`<span class="chip ${delta !== 0 || rewritten ? 'changed' : ''}">Δ ${signed(delta)}</span>`}
  </button>`;
}

export function stageBarView(
  compiles: readonly CompileInfo[],
  compileId: string | null,
  bar: StageBar,
  crumb: Crumb | null,
  state: { diff: boolean; menu: boolean; drawn: boolean },
  act: BarActions,
): TemplateResult {
  return html`<div class="bar stages">
    ${compilePicker(compiles, compileId, (id) => act.compile(id))}
    <span class="vr"></span>
    <div
      class="crumbs"
      role="tablist"
      aria-label=${l10n.t('Stage')}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        const all = bar.steps.flat();
        const at = all.findIndex((c) => c.key === crumb?.key) + (event.key === 'ArrowLeft' ? -1 : 1);
        const next = at >= 0 ? all.at(at) : undefined;
        if (!next) return;
        event.preventDefault();
        event.stopPropagation();
        act.stage(next.key);
        const list = event.currentTarget as HTMLElement;
        requestAnimationFrame(() => list.querySelector<HTMLElement>('[aria-selected=true]')?.focus());
      }}
    >
      ${bar.steps.map(
        (step, i) =>
          html`${i === 0 ? nothing : html`<span class="sep" role="presentation">${icon('chevron-right')}</span>`}
            <span class=${step.length > 1 ? 'pair' : 'single'} role="presentation"
              >${step.map((c) => crumbTab(c, c.key === crumb?.key, act))}</span
            >`,
      )}
    </div>
    ${stageMenu(bar, crumb, (key) => act.stage(key))}
    <span class="grow"></span>
    <button
      class="tb"
      aria-pressed=${state.diff}
      title=${l10n.t('Compare the graph before and after (D)')}
      ?disabled=${!state.drawn}
      @click=${() => act.toggleDiff()}
    >
      ${icon('diff')}<span class="label">${l10n.t('Diff')}</span>
    </button>
    <button
      class="tb ic"
      title=${l10n.t('Show the passes of this compile')}
      aria-label=${l10n.t('Show passes')}
      @click=${() => act.passes()}
    >
      ${icon('layers')}
    </button>
    ${menuView(state.menu, state.drawn, act)}
  </div>`;
}

export interface ToolsInput {
  readonly ui: UiState;
  readonly crumb: Crumb | null;
  readonly matchCount: number;
  readonly matchAt: number;
  readonly cursor: { file: string; line: number } | null;
  readonly hasSelection: boolean;
  readonly shownText: string;
}

const COLOURS: readonly (readonly [ColourBy, string])[] = [
  ['kind', l10n.t('Colour: op kind')],
  ['module', l10n.t('Colour: module')],
  ['time', l10n.t('Colour: time')],
  ['kernel', l10n.t('Colour: kernel')],
  ['dtype', l10n.t('Colour: dtype')],
  ['change', l10n.t('Colour: change')],
];

export function toolBar(input: ToolsInput, act: BarActions): TemplateResult {
  const { ui, crumb, matchCount, matchAt, cursor } = input;
  const both = ui.diff === null && crumb?.before && crumb.after && crumb.before.snapshot !== crumb.after.snapshot;
  const found =
    ui.query.trim() === ''
      ? ''
      : matchCount === 0
        ? l10n.t('No results')
        : l10n.t('{0} of {1}', matchAt >= 0 ? matchAt + 1 : '–', count(matchCount));
  return html`<div class="bar tools">
    <label class="field search">
      ${icon('search')}
      <input
        id="search"
        type="text"
        aria-label=${l10n.t('Search nodes')}
        placeholder=${l10n.t('Search name, op or shape')}
        spellcheck="false"
        .value=${ui.query}
        @input=${(event: Event) => act.query((event.target as HTMLInputElement).value)}
        @keydown=${(event: KeyboardEvent) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          act.nextMatch(event.shiftKey ? -1 : 1);
        }}
      />
      <span class="dim num found" role="status">${found}</span>
      <button
        class="tb ic"
        title=${l10n.t('Previous match (Shift+Enter)')}
        aria-label=${l10n.t('Previous match')}
        ?disabled=${matchCount === 0}
        @click=${() => act.nextMatch(-1)}
      >
        ${icon('arrow-up')}
      </button>
      <button
        class="tb ic"
        title=${l10n.t('Next match (Enter)')}
        aria-label=${l10n.t('Next match')}
        ?disabled=${matchCount === 0}
        @click=${() => act.nextMatch(1)}
      >
        ${icon('arrow-down')}
      </button>
    </label>
    <span class="vr"></span>
    <button
      class="tb"
      aria-pressed=${ui.changedOnly}
      title=${l10n.t('Only what the passes of this stage changed (C)')}
      @click=${() => act.toggleChanged()}
    >
      ${icon('filter')}<span class="label">${l10n.t('Changed only')}</span>
    </button>
    <button
      class="tb"
      aria-pressed=${ui.hops > 0}
      ?disabled=${!input.hasSelection && ui.hops === 0}
      title=${l10n.t('Only the neighbours of the selection (K; again: one step more)')}
      @click=${() => act.toggleHops()}
    >
      ${icon('target')}<span class="label">${l10n.t('Neighbours')}</span
      >${ui.hops > 0 ? html`<span class="num">k = ${ui.hops}</span>` : nothing}
    </button>
    <button
      class="tb"
      aria-pressed=${ui.path !== null}
      ?disabled=${!input.hasSelection && ui.path === null}
      title=${
        ui.path?.to == null
          ? l10n.t('Only what lies between two nodes: the selection is one end (P)')
          : l10n.t('Between {0} and {1} (P: all again)', ui.path.from, ui.path.to)
      }
      @click=${() => act.togglePath()}
    >
      ${icon('git-compare')}<span class="label">${l10n.t('Path')}</span
      >${ui.path === null ? nothing : html`<span class="num clip path-ends">${ui.path.from} → ${ui.path.to ?? '…'}</span>`}
    </button>
    <button
      class="tb"
      aria-pressed=${ui.thisLine}
      ?disabled=${cursor === null && !ui.thisLine}
      title=${l10n.t('Only nodes of the line at the editor cursor (L)')}
      @click=${() => act.toggleLine()}
    >
      ${icon('file-code')}<span class="label">${l10n.t('This line')}</span>
      ${cursor ? html`<span class="dim num label">${baseName(cursor.file)}:${cursor.line + 1}</span>` : nothing}
    </button>
    ${
      both
        ? html`<span class="vr"></span>
            <span class="seg" role="radiogroup" aria-label=${l10n.t('Before or after the passes of this stage')}>
              ${(['before', 'after'] as const).map(
                (position) =>
                  html`<button
                    class="tb"
                    role="radio"
                    aria-checked=${ui.position === position}
                    @click=${() => act.position(position)}
                  >
                    ${position === 'before' ? l10n.t('Before') : l10n.t('After')}
                  </button>`,
              )}
            </span>`
        : nothing
    }
    <span class="grow"></span>
    <span class="dim num clip shown">${input.shownText}</span>
    <span class="vr"></span>
    <vscode-single-select
      class="colour-by"
      label=${l10n.t('Colour by')}
      title=${l10n.t('Colour by')}
      .value=${ui.colourBy}
      @change=${(event: Event) => act.colourBy((event.target as HTMLSelectElement).value as ColourBy)}
    >
      ${COLOURS.filter(([value]) => value !== 'change' || ui.diff !== null).map(
        ([value, text]) =>
          html`<vscode-option value=${value} ?selected=${ui.colourBy === value}>${text}</vscode-option>`,
      )}
    </vscode-single-select>
    <span class="seg" role="radiogroup" aria-label=${l10n.t('View')}>
      <button
        class="tb ic"
        role="radio"
        title=${l10n.t('Graph (Alt+L)')}
        aria-label=${l10n.t('Graph')}
        aria-checked=${ui.view === 'graph'}
        @click=${() => act.view('graph')}
      >
        ${icon('type-hierarchy-sub')}
      </button>
      <button
        class="tb ic"
        role="radio"
        title=${l10n.t('List of the same nodes (Alt+L)')}
        aria-label=${l10n.t('List')}
        aria-checked=${ui.view === 'list'}
        @click=${() => act.view('list')}
      >
        ${icon('list-tree')}
      </button>
    </span>
  </div>`;
}

export function legendView(colouring: Colouring, closed: boolean, act: BarActions): TemplateResult {
  return html`<div class="card legend">
    <button class="legend-head" aria-expanded=${!closed} @click=${() => act.legend(!closed)}>
      <span>${colouring.title}</span>${icon(closed ? 'chevron-up' : 'chevron-down')}
    </button>
    ${
      closed
        ? nothing
        : colouring.legend.map(
            ({ label, mark, count: n, dashed }) =>
              html`<div class="legend-row">
                ${swatch(mark, dashed)}<span class="clip" title=${label}>${label}</span
                ><span class="num">${count(n)}</span>
              </div>`,
          )
    }
    ${closed || colouring.note === undefined ? nothing : html`<p class="dim legend-note">${colouring.note}</p>`}
  </div>`;
}
