/** The details of the selected node or group. */
import { html, nothing, type TemplateResult } from 'lit';
import type { SourcePlace } from '../../src/shared/messages';
import { baseName, bytes, count, many } from '../shared/format';
import { icon } from '../shared/view';
import type { Colouring, Mark } from './colours';
import { chain, type Group, type Tree } from './groups';
import { byteSize, dimensions, type Graph, neighbours } from './model';

export interface DetailsActions {
  node(name: string): void;
  group(id: string): void;
  source(place: SourcePlace): void;
  origin(name: string): void;
  copy(text: string): void;
  close(): void;
  toggle(id: string): void;
  more(list: string): void;
}

export interface DetailsInput {
  readonly graph: Graph;
  readonly tree: Tree;
  readonly colouring: Colouring;
  readonly expanded: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
}

const SHORT_LIST = 10;

/** Where a node is in the source; null without a known file. */
export function sourceOf(graph: Graph, node: number): SourcePlace | null {
  const { data } = graph;
  if (data.file[node] < 0 || data.line[node] < 0) return null;
  const file = data.files[data.file[node]];
  return {
    file,
    line: data.line[node],
    column: data.column[node],
    endLine: data.endLine[node],
    endColumn: data.endColumn[node],
  };
}

export const swatch = (mark: Mark): TemplateResult =>
  html`<span class="swatch ${mark === null ? 'outline' : `mark-${mark}`}" aria-hidden="true"></span>`;

const row = (name: string, value: TemplateResult | string): TemplateResult =>
  html`<dt>${name}</dt>
    <dd title=${typeof value === 'string' ? value : nothing}>${value}</dd>`;

function head(title: string, mark: Mark | undefined, sub: TemplateResult, act: DetailsActions): TemplateResult {
  return html`<div class="details-head">
    <div class="details-title">
      ${mark === undefined ? nothing : swatch(mark)}
      <h2 class="mono" title=${title}>${title}</h2>
      <button class="tb ic" title="Copy name" aria-label="Copy name" @click=${() => act.copy(title)}>
        ${icon('copy')}
      </button>
      <button class="tb ic" title="Close details (Esc)" aria-label="Close details" @click=${() => act.close()}>
        ${icon('close')}
      </button>
    </div>
    <div class="details-sub dim">${sub}</div>
  </div>`;
}

function nodeList(title: string, nodes: readonly number[], input: DetailsInput, act: DetailsActions): TemplateResult {
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
        : html`<button class="link" @click=${() => act.more(title)}>Show ${nodes.length - SHORT_LIST} more</button>`
    }`;
}

/** The expression inside its line, as the recording has it. */
function codeBlock(graph: Graph, node: number): TemplateResult | typeof nothing {
  const text = graph.data.code[node];
  if (text === '') return nothing;
  const { column, endColumn, line, endLine } = graph.data;
  const indent = text.length - text.trimStart().length;
  const [from, to] = [column[node], endColumn[node]];
  const exact = from >= indent && to > from && to <= text.length && line[node] === endLine[node];
  const content = exact
    ? html`<code>${text.slice(indent, from)}<u>${text.slice(from, to)}</u>${text.slice(to)}</code>`
    : html`<code>${text.trim()}</code>`;
  return html`<div class="source mono" title=${text.trim()}>${content}</div>`;
}

export function nodeDetails(node: number, input: DetailsInput, act: DetailsActions): TemplateResult {
  const { graph, tree, colouring } = input;
  const { data } = graph;
  const home = tree.home[node];
  const size = byteSize(data.dtypes[node], data.shapes[node]);
  const place = sourceOf(graph, node);
  const origins = data.origins[node];
  const kernel = data.ops[node] === 'kernel';
  const facts = [size === null ? '' : bytes(size), data.devices[node]].filter(Boolean).join(' · ');
  const where = html`${data.ops[node]}${
    home.parent === null
      ? nothing
      : html`&nbsp;in&nbsp;<button class="link clip" title=${groupPath(home)} @click=${() => act.group(home.id)}>
            ${groupPath(home)}
          </button>`
  }`;
  return html`${head(data.names[node], colouring.marks[node], where, act)}
    <section>
      <dl>
        ${data.targets[node] === '' ? nothing : row('Target', data.targets[node])}
        ${
          data.dtypes[node] === ''
            ? nothing
            : html`${row('Shape', `[${dimensions(data.shapes[node]).join(', ')}]`)}
              ${row('Dtype', html`${data.dtypes[node]}<span class="dim">${facts === '' ? '' : ` · ${facts}`}</span>`)}`
        }
        ${data.strides[node] === '' ? nothing : row('Stride', `(${dimensions(data.strides[node]).join(', ')})`)}
        ${data.args[node] === '' ? nothing : row('Args', data.args[node])}
      </dl>
    </section>
    ${
      place === null
        ? html`<section>
            <h3>Source</h3>
            <span class="dim">Not recorded for this node.</span>
          </section>`
        : html`<section>
            <h3>Source</h3>
            <button class="link" title="${place.file} (Enter)" @click=${() => act.source(place)}>
              ${baseName(place.file)}:${place.line + 1}
            </button>
            ${codeBlock(graph, node)}
          </section>`
    }
    <section>
      ${nodeList('Inputs', [...neighbours(graph.inputs, node)], input, act)}
      ${nodeList('Users', [...neighbours(graph.users, node)], input, act)}
    </section>
    ${
      origins.length === 0
        ? nothing
        : html`<section>
            <h3>${kernel ? `Ops ${origins.length}` : 'Origins'}</h3>
            ${origins.map(
              (name) =>
                html`<div class="node-row">
                  <button class="link mono clip" title="Show in an earlier stage" @click=${() => act.origin(name)}>
                    ${name}
                  </button>
                </div>`,
            )}
          </section>`
    }`;
}

/** Path of a group as people write it: `layers.0.attn`. */
export const groupPath = (group: Group): string =>
  chain(group)
    .map((part) => part.title)
    .join('.');

export function groupDetails(group: Group, input: DetailsInput, act: DetailsActions): TemplateResult {
  const { graph } = input;
  const inside = new Set(group.nodes);
  const from = new Set<number>();
  const to = new Set<number>();
  for (const node of group.nodes) {
    for (const i of neighbours(graph.inputs, node)) if (!inside.has(i)) from.add(i);
    for (const i of neighbours(graph.users, node)) if (!inside.has(i)) to.add(node);
  }
  const kinds = new Map<string, number>();
  for (const node of group.nodes) kinds.set(graph.data.kinds[node], (kinds.get(graph.data.kinds[node]) ?? 0) + 1);
  const isOpen = input.open.has(group.id);
  const sorted = [...kinds].sort(([, a], [, b]) => b - a);
  return html`${head(groupPath(group), undefined, html`${group.kind || 'group'} · ${many(group.nodes.length, 'node')}`, act)}
    <section>
      <dl>${sorted.map(([kind, n]) => row(kind.charAt(0).toUpperCase() + kind.slice(1), count(n)))}</dl>
      <div class="details-ways">
        <vscode-button secondary @click=${() => act.toggle(group.id)}
          >${isOpen ? 'Close group' : 'Open group'}</vscode-button
        >
      </div>
    </section>
    <section>
      ${nodeList(
        'Inputs',
        [...from].sort((a, b) => a - b),
        input,
        act,
      )}
      ${nodeList(
        'Outputs',
        [...to].sort((a, b) => a - b),
        input,
        act,
      )}
    </section>`;
}

export function nothingSelected(graph: Graph, tree: Tree): TemplateResult {
  return html`<div class="details-empty">
    ${icon('type-hierarchy-sub')}
    <p>
      ${many(graph.size, 'node')} and ${many(graph.edgeCount, 'edge')} in ${many(tree.groups.size - 1, 'group')}. Select
      one to see its shape, its source and its neighbours.
    </p>
  </div>`;
}
