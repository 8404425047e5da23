/** The details of the selected node or group. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { SourcePlace } from '../../src/shared/messages';
import { baseName, bytes, count, many } from '../shared/format';
import { icon } from '../shared/view';
import { changeOfNode, comparedView } from './details-diff';
import { kernelsView, lineageView, linesView, operationsView } from './details-lineage';
import { type DetailsActions, type DetailsInput, head, nodeList, row } from './details-parts';
import { chain, type Group } from './groups';
import { titleOf } from './labels';
import { byteSize, dimensions, type Graph, neighbours } from './model';

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

function whereView(node: number, { graph, tree }: DetailsInput, act: DetailsActions): TemplateResult {
  const home = tree.home[node];
  const op = graph.isSchedule ? kernelWord(graph, node) : graph.data.ops[node];
  if (home.parent === null) return html`${op}`;
  return html`${op}&nbsp;${l10n.t('in')}&nbsp;<button
      class="link clip"
      title=${groupPath(home)}
      @click=${() => act.group(home.id)}
    >
      ${groupPath(home)}
    </button>`;
}

const kernelWord = (graph: Graph, node: number): string => {
  const kind = graph.data.kinds[node];
  return kind === 'extern'
    ? l10n.t('library call')
    : kind === 'fallback'
      ? l10n.t('fallback')
      : l10n.t('{0} kernel', kind);
};

function valueView(node: number, { data }: Graph): TemplateResult {
  const size = byteSize(data.dtypes[node], data.shapes[node]);
  const facts = [size === null ? '' : bytes(size), data.devices[node]].filter(Boolean).join(' · ');
  return html`<section>
    <dl>
      ${data.targets[node] === '' ? nothing : row(l10n.t('Target'), data.targets[node])}
      ${
        data.dtypes[node] === ''
          ? nothing
          : html`${row(l10n.t('Shape'), `[${dimensions(data.shapes[node]).join(', ')}]`)}
            ${row(l10n.t('Dtype'), html`${data.dtypes[node]}<span class="dim">${facts === '' ? '' : ` · ${facts}`}</span>`)}`
      }
      ${data.strides[node] === '' ? nothing : row(l10n.t('Stride'), `(${dimensions(data.strides[node]).join(', ')})`)}
      ${data.args[node] === '' ? nothing : row(l10n.t('Args'), data.args[node])}
    </dl>
  </section>`;
}

function sourceView(node: number, graph: Graph, act: DetailsActions): TemplateResult {
  const place = sourceOf(graph, node);
  if (place === null)
    return html`<section>
      <h3>${l10n.t('Source')}</h3>
      <span class="dim">${l10n.t('Not recorded for this node.')}</span>
    </section>`;
  return html`<section>
    <h3>${l10n.t('Source')}</h3>
    <button class="link" title=${l10n.t('{0} (Enter)', place.file)} @click=${() => act.source(place)}>
      ${baseName(place.file)}:${place.line + 1}
    </button>
    ${codeBlock(graph, node)}
  </section>`;
}

export function nodeDetails(node: number, input: DetailsInput, act: DetailsActions): TemplateResult {
  const { graph, colouring, compared } = input;
  if (graph.isSchedule) return kernelDetails(node, input, act);
  const state = graph.change?.states[node] ?? 'same';
  const badge = state === 'same' ? null : state;
  return html`${head(graph.data.names[node], colouring.marks[node], whereView(node, input, act), act, badge)}
    ${valueView(node, graph)} ${compared ? changeOfNode(node, input, compared, act) : nothing}
    ${sourceView(node, graph, act)}
    <section>
      ${nodeList(l10n.t('Inputs'), [...neighbours(graph.inputs, node)], input, act)}
      ${nodeList(l10n.t('Users'), [...neighbours(graph.users, node)], input, act)}
    </section>
    ${compared ? comparedView(compared, act) : html`${kernelsView(input, act)}${lineageView(input, act)}`}`;
}

/** A call of a kernel: its own name may be long and comes second. */
function kernelDetails(node: number, input: DetailsInput, act: DetailsActions): TemplateResult {
  const { graph, colouring } = input;
  const kernel = graph.data.kernel.at(node)?.at(0);
  const info = kernel === undefined ? null : graph.data.kernels[kernel];
  const title = kernel === undefined ? graph.data.names[node] : l10n.t('Kernel {0}', kernel + 1);
  const long = kernel === undefined ? null : titleOf(graph, node);
  const badge = info === null ? null : info.language;
  return html`${head(title, colouring.marks[node], whereView(node, input, act), act, badge, long)}
    ${operationsView(node, input, act)} ${linesView(input, act)}
    <section>
      ${nodeList(l10n.t('Inputs'), [...neighbours(graph.inputs, node)], input, act)}
      ${nodeList(l10n.t('Users'), [...neighbours(graph.users, node)], input, act)}
    </section>
    ${lineageView(input, act)}`;
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
  return html`${head(groupPath(group), undefined, html`${group.kind || l10n.t('group')} · ${many(group.nodes.length, 'node')}`, act)}
    <section>
      <dl>${sorted.map(([kind, n]) => row(kind.charAt(0).toUpperCase() + kind.slice(1), count(n)))}</dl>
      <div class="details-ways">
        <vscode-button secondary @click=${() => act.toggle(group.id)}
          >${isOpen ? l10n.t('Close group') : l10n.t('Open group')}</vscode-button
        >
      </div>
    </section>
    <section>
      ${nodeList(
        l10n.t('Inputs'),
        [...from].sort((a, b) => a - b),
        input,
        act,
      )}
      ${nodeList(
        l10n.t('Outputs'),
        [...to].sort((a, b) => a - b),
        input,
        act,
      )}
    </section>
    ${input.compared ? comparedView(input.compared, act) : nothing}`;
}

export function nothingSelected({ graph, tree, compared }: DetailsInput, act: DetailsActions): TemplateResult {
  if (compared)
    return html`<div class="details-head">
        <div class="details-title"><h2>${l10n.t('{0} changed', many(compared.places.length, 'place'))}</h2></div>
      </div>
      ${comparedView(compared, act)}`;
  return html`<div class="details-empty">
    ${icon('type-hierarchy-sub')}
    <p>
      ${l10n.t('{0} and {1} in {2}. Select one to see its shape, its source and its neighbours.', many(graph.size, 'node'), many(graph.edgeCount, 'edge'), many(tree.groups.size - 1, 'group'))}
    </p>
  </div>`;
}
