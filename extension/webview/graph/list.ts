/** The list twin: a tree of the same groups and nodes, for keyboards and screen readers. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { styles } from '../shared/styles';
import { many } from '../shared/format';
import { LongList } from '../shared/list';
import { icon } from '../shared/view';
import type { Colouring } from './colours';
import { countsView } from './diff-bar';
import { swatch } from './details-parts';
import type { Counts } from './diff';
import { titleOf } from './labels';
import type { Child, Group, Tree } from './groups';
import type { Graph } from './model';
import { countText } from './scene';

const ROW = 22;

export interface ListRow {
  readonly child: Child;
  readonly depth: number;
  readonly index: number;
  readonly siblings: number;
}

/** Visible rows in order. */
export function listRows(tree: Tree, open: ReadonlySet<string>): ListRow[] {
  const rows: ListRow[] = [];
  const walk = (group: Group, depth: number): void => {
    group.children.forEach((child, index) => {
      rows.push({ child, depth, index, siblings: group.children.length });
      if (typeof child !== 'number' && open.has(child.id)) walk(child, depth + 1);
    });
  };
  walk(tree.root, 0);
  return rows;
}

export interface ListInput {
  readonly graph: Graph;
  readonly colouring: Colouring;
  readonly open: ReadonlySet<string>;
  readonly selected: number | string | null;
  readonly matches: ReadonlySet<number>;
  readonly groupMatches: ReadonlyMap<string, number>;
  /** How much differs in each group of a comparison. */
  readonly changes: ReadonlyMap<string, Counts>;
}

const SIGNS = { added: '+', removed: '\u2212', changed: '~', same: '' } as const;

export interface ListEvents {
  click(row: ListRow): void;
  chevron(row: ListRow): void;
  activate(row: ListRow): void;
}

export const rowId = (child: Child): number | string => (typeof child === 'number' ? child : child.id);

export class GraphList {
  readonly #list: LongList;
  rows: ListRow[] = [];

  constructor(changed: () => void) {
    this.#list = new LongList(() => ROW, changed);
  }

  /** Call after each render. */
  attach(element: HTMLElement | null): void {
    this.#list.attach(element, this.rows.length);
  }

  reveal(id: number | string): void {
    this.#list.reveal(this.rows.findIndex((row) => rowId(row.child) === id));
  }

  get scroll(): number {
    return this.#list.offset;
  }

  scrollTo(offset: number): void {
    this.#list.scrollTo(offset);
  }

  render(input: ListInput, events: ListEvents): TemplateResult {
    const chosen = this.rows.findIndex((row) => rowId(row.child) === input.selected);
    return html`<div class="list" id="list">
      <div
        class="list-inner"
        role="tree"
        tabindex="0"
        aria-label=${l10n.t('Nodes of the graph')}
        aria-activedescendant=${chosen >= 0 ? `row-${chosen}` : nothing}
        ${styles({ height: `${this.#list.height}px` })}
      >
        ${this.#list.rows.map(({ index, start }) => {
          const row = this.rows.at(index);
          return row === undefined ? nothing : this.#row(row, index, start, input, events);
        })}
      </div>
    </div>`;
  }

  #row(row: ListRow, index: number, top: number, input: ListInput, events: ListEvents): TemplateResult {
    const { graph, colouring } = input;
    const { child } = row;
    const node = typeof child === 'number' ? child : null;
    const group = typeof child === 'number' ? null : child;
    const selected = rowId(child) === input.selected;
    const state = node === null ? 'same' : (graph.change?.states[node] ?? 'same');
    const matches = group ? (input.groupMatches.get(group.id) ?? 0) : 0;
    return html`<div
      id="row-${index}"
      class="list-row ${selected ? 'selected' : ''} ${node !== null && input.matches.has(node) ? 'match' : ''}"
      role="treeitem"
      aria-level=${row.depth + 1}
      aria-setsize=${row.siblings}
      aria-posinset=${row.index + 1}
      aria-selected=${selected}
      aria-expanded=${group ? input.open.has(group.id) : nothing}
      ${styles({ top: `${top}px`, 'padding-left': `${12 + row.depth * 16}px` })}
      @click=${() => events.click(row)}
      @dblclick=${() => events.activate(row)}
    >
      ${
        group
          ? html`<span
                class="chevron"
                @click=${(event: Event) => {
                  event.stopPropagation();
                  events.chevron(row);
                }}
                >${icon(input.open.has(group.id) ? 'chevron-down' : 'chevron-right')}</span
              >
              <b>${group.title}</b><span class="dim clip">${group.kind}</span>
              ${matches ? html`<span class="badge">${many(matches, 'match')}</span>` : nothing}
              <span class="grow"></span>
              ${input.changes.has(group.id) ? countsView(input.changes.get(group.id)!) : html`<span class="dim num">${countText(group)}</span>`}`
          : html`<span class="chevron"></span>${swatch(colouring.marks[node!])}
              ${
                state === 'same'
                  ? nothing
                  : html`<span class="sign text-${state}" title=${state} aria-label=${state}>${SIGNS[state]}</span>`
              }
              <span class="mono clip ${state === 'removed' ? 'gone' : ''}">${titleOf(graph, node!)}</span>
              <span class="dim clip target"
                >${graph.data.targets[node!] === graph.data.names[node!] ? '' : graph.data.targets[node!]}</span
              >
              <span class="grow"></span><span class="mono dim">${graph.types[node!]}</span>`
      }
    </div>`;
  }
}
