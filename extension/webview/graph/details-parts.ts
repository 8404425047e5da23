/** Pieces of the details. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { GraphDiffResult, LineageResult, PassInfo, SourcePlace } from '../../src/shared/messages';
import { icon } from '../shared/view';
import type { Colouring, Mark } from './colours';
import type { Place } from './diff';
import type { Tree } from './groups';
import type { Graph } from './model';

export interface DetailsActions {
  node(name: string): void;
  group(id: string): void;
  /** A node of this graph, by its position. */
  place(node: number): void;
  source(place: SourcePlace): void;
  /** A node of another stage. */
  other(snapshot: string, name: string): void;
  code(kernel: string | null): void;
  copy(text: string): void;
  close(): void;
  toggle(id: string): void;
  more(list: string): void;
  textDiff(): void;
  showPass(): void;
}

/** What is compared, for the details. */
export interface Compared {
  readonly diff: GraphDiffResult;
  readonly pass: PassInfo | null;
  readonly places: readonly Place[];
  readonly at: number;
}

export interface DetailsInput {
  readonly graph: Graph;
  readonly tree: Tree;
  readonly colouring: Colouring;
  readonly expanded: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
  readonly compared: Compared | null;
  /** Of the selected node: undefined while it is asked for, null when it can't be had. */
  readonly lineage: LineageResult | null | undefined;
}

export const SHORT_LIST = 10;

export const swatch = (mark: Mark, dashed = false): TemplateResult =>
  html`<span
    class="swatch ${mark === null ? 'outline' : `mark-${mark}`} ${dashed ? 'dashed' : ''}"
    aria-hidden="true"
  ></span>`;

export const row = (name: string, value: TemplateResult | string): TemplateResult =>
  html`<dt>${name}</dt>
    <dd title=${typeof value === 'string' ? value : nothing}>${value}</dd>`;

export function head(
  title: string,
  mark: Mark | undefined,
  sub: TemplateResult,
  act: DetailsActions,
  badge: string | null = null,
  long: string | null = null,
): TemplateResult {
  return html`<div class="details-head">
    <div class="details-title">
      ${mark === undefined ? nothing : swatch(mark)}
      <h2 class="mono" title=${title}>${title}</h2>
      ${badge === null ? nothing : html`<span class="chip">${badge}</span>`}
      <span class="grow"></span>
      <button
        class="tb ic"
        title=${l10n.t('Copy name')}
        aria-label=${l10n.t('Copy name')}
        @click=${() => act.copy(long ?? title)}
      >
        ${icon('copy')}
      </button>
      <button
        class="tb ic"
        title=${l10n.t('Close details (Esc)')}
        aria-label=${l10n.t('Close details')}
        @click=${() => act.close()}
      >
        ${icon('close')}
      </button>
    </div>
    ${long === null ? nothing : html`<div class="mono dim long-name">${long}</div>`}
    <div class="details-sub dim">${sub}</div>
  </div>`;
}

export function nodeList(
  title: string,
  nodes: readonly number[],
  input: DetailsInput,
  act: DetailsActions,
): TemplateResult {
  const { graph, colouring } = input;
  const all = input.expanded.has(title) || nodes.length <= SHORT_LIST + 1;
  const shown = all ? nodes : nodes.slice(0, SHORT_LIST);
  return html`<h3>${title} ${nodes.length}</h3>
    ${shown.map((i) => {
      const name = graph.data.names[i];
      return html`<div class="node-row">
        ${swatch(colouring.marks[i])}
        <button class="link mono clip" title=${name} @click=${() => act.node(name)}>${name}</button>
        <span class="mono dim type">${graph.types[i]}</span>
      </div>`;
    })}
    ${
      all
        ? nothing
        : html`<button class="link" @click=${() => act.more(title)}>
            ${l10n.t('Show {0} more', nodes.length - SHORT_LIST)}
          </button>`
    }`;
}
