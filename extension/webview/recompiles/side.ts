/** The column at the side: the guards of the selected version as a tree, and what is variable. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { classMap } from 'lit/directives/class-map.js';
import type { DimensionInfo, GuardNode } from '../../src/shared/messages';
import { coded } from '../shared/coded';
import { count, many } from '../shared/format';
import type { LongList } from '../shared/list';
import { styles } from '../shared/styles';
import { icon } from '../shared/view';
import { type Band, bandsOf, failedNodes, openDimensions, scaleOf, visibleNodes } from './model';
import type { RecompileSession } from './session';

export const TREE_ROW = 26;
const MOST_DIMENSIONS = 3;
const MOST_BANDS = 6;

export interface SideEvents {
  toggle(position: number): void;
  node(node: GuardNode): void;
  dimension(dimension: DimensionInfo): void;
}

const micros = (us: number): string => (us >= 100 ? us.toFixed(0) : us.toFixed(1));

export function guardTree(session: RecompileSession, list: LongList, events: SideEvents): TemplateResult {
  const { selected, tree } = session;
  const failed = new Set(session.table?.rows.filter(({ failures }) => failures.length > 0).map(({ about }) => about));
  return html`<section class="tree-part" aria-label=${l10n.t('Guard tree')}>
    <h2>
      ${l10n.t('Guard tree of {0}', selected?.id ?? '')}
      <span>${l10n.t('checks')} · <i class="dot" aria-hidden="true"></i> ${l10n.t('failed in some call')}</span>
    </h2>
    ${
      tree === null
        ? html`<p class="dim empty" role="status">${l10n.t('Reading the guards…')}</p>`
        : tree.nodes.length === 0
          ? html`<p class="dim empty">${l10n.t('The recording has no guards of this compile.')}</p>`
          : treeRows(session, tree.nodes, failed, list, events)
    }
  </section>`;
}

function treeRows(
  session: RecompileSession,
  nodes: readonly GuardNode[],
  failed: ReadonlySet<string>,
  list: LongList,
  events: SideEvents,
): TemplateResult {
  const { tree, ui } = session;
  const shown = visibleNodes(nodes, new Set(ui.closed));
  const hot = failedNodes(nodes, failed);
  const own = ui.about === null ? new Set<number>() : failedNodes(nodes, new Set([ui.about]));
  const most = Math.max(1, tree?.count ?? 1);
  const latency = tree?.latencyUs ?? null;
  return html`<div
      class="tree-root"
      title=${l10n.t('Torch times one look-up of the whole tree, once, with a cold cache. It times no guard alone.')}
    >
      <span class="mono">RootGuardManager</span>
      <span class="dim num">${l10n.t('{0} checks', count(tree?.count ?? 0))}</span>
      <span class="num look-up">${latency === null ? '' : `${micros(latency)} µs`}</span>
    </div>
    <div class="tree-list" id="tree">
      <div
        class="tree-rows"
        role="tree"
        tabindex="0"
        aria-label=${l10n.t('Guards as torch checks them')}
        ${styles({ height: `${list.height}px` })}
      >
        ${list.rows
          .filter(({ index }) => index < shown.length)
          .map(({ index, start }) => {
            const at = shown[index];
            return treeRow(nodes, at, start, most, {
              closed: ui.closed.includes(at),
              hot: hot.has(at),
              own: own.has(at),
              events,
            });
          })}
      </div>
    </div>
    ${
      (tree?.leftOut ?? 0) > 0
        ? html`<p class="dim empty">${l10n.t('{0} more guards are left out.', count(tree?.leftOut ?? 0))}</p>`
        : nothing
    }`;
}

function treeRow(
  nodes: readonly GuardNode[],
  at: number,
  top: number,
  most: number,
  { closed, hot, own, events }: { closed: boolean; hot: boolean; own: boolean; events: SideEvents },
): TemplateResult {
  const node = nodes[at];
  const value = node.kind === '';
  return html`<div
    class=${classMap({ node: true, value, hot, own })}
    role="treeitem"
    aria-level=${node.depth + 1}
    aria-expanded=${value ? String(!closed) : nothing}
    aria-selected=${own && !value}
    title="${node.code}${value ? '' : `\n${node.kind}`}"
    ${styles({ top: `${top}px`, '--depth': String(node.depth) })}
    @click=${() => (value ? events.toggle(at) : events.node(node))}
  >
    <span class="twist">${value ? icon(closed ? 'chevron-right' : 'chevron-down') : nothing}</span>
    <span class="mono clip">${node.text}</span>
    ${hot ? html`<i class="dot"></i><span class="hidden-text">${l10n.t('failed')}</span>` : nothing}
    <span class="kind">${value ? '' : `${kindText(node.kind)}${node.checks > 1 ? ` × ${node.checks}` : ''}`}</span>
    ${
      value
        ? html`<span class="track" aria-hidden="true"><i ${styles({ '--share': String(node.checks / most) })}></i></span
            ><span class="num checks">${count(node.checks)}</span>`
        : nothing
    }
  </div>`;
}

/** `TENSOR_MATCH` is `TENSOR`, `DIMENSION_DYNAMIC_MARKING_GUARD` is `DYNAMIC MARK`. */
const kindText = (kind: string): string =>
  kind
    .replace(/^DIMENSION_DYNAMIC_MARKING_GUARD$/, 'DYNAMIC_MARK')
    .replace(/_(MATCH|GUARD)$/, '')
    .replace(/_/g, ' ')
    .slice(0, 18);

export function dimensions(session: RecompileSession, events: SideEvents): TemplateResult | typeof nothing {
  const { table, ui } = session;
  const open = table === null ? [] : openDimensions(table, ui.about);
  if (table === null || open.length === 0) return nothing;
  return html`<section class="dimensions" aria-label=${l10n.t('Dynamic dimensions')} tabindex="0">
    <h2>${open.length === 1 ? l10n.t('Dynamic dimension') : l10n.t('Dynamic dimensions')}</h2>
    ${open.slice(0, MOST_DIMENSIONS).map((one) => dimension(session, one, events))}
    ${open.length > MOST_DIMENSIONS ? html`<p class="dim empty">${l10n.t('{0} more', open.length - MOST_DIMENSIONS)}</p>` : nothing}
  </section>`;
}

function dimension(session: RecompileSession, one: DimensionInfo, events: SideEvents): TemplateResult {
  const bands = bandsOf(one, session.table?.versions ?? []);
  const ranges = bands.filter(({ low, high }) => low !== high).length;
  const scale = scaleOf(bands);
  return html`<div class="dimension">
    <p>
      <b
        ><code>${one.expression}</code> ${
          ranges > 1
            ? l10n.t('is dynamic since {0}, in {1} ranges', one.since, ranges)
            : l10n.t('is dynamic since {0}', one.since)
        }</b
      >
    </p>
    <p>
      ${one.sentences.map((sentence) => html`${coded(sentence)} `)}${
        one.place === null
          ? nothing
          : html`<button class="link" @click=${() => events.dimension(one)}>
              ${l10n.t('line {0}', one.place.line + 1)}
            </button>`
      }
    </p>
    <div class="bands" role="list" aria-label=${l10n.t('Ranges by version')}>
      ${bands.slice(0, MOST_BANDS).map((band, at) => bandRow(band, scale(band), at, session.ui.compileId))}
    </div>
    ${bands.length > MOST_BANDS ? html`<p class="dim">${l10n.t('and {0} more', bands.length - MOST_BANDS)}</p>` : nothing}
    ${
      one.saves === null || !one.expression.includes('.shape[')
        ? nothing
        : html`<p>
            ${l10n.t('Saves {0}:', one.saves)}
            <code>${markCall(one.expression)}</code> ${l10n.t('before the first call.')}
          </p>`
    }
  </div>`;
}

/** How a program marks `x.shape[0]` from the start. */
function markCall(expression: string): string {
  const match = /^(.*)\.shape\[(\d+)\]$/.exec(expression);
  return match === null ? '' : `torch._dynamo.mark_dynamic(${match[1]}, ${match[2]})`;
}

function bandRow(
  band: Band,
  { start, end }: { start: number; end: number },
  at: number,
  selected: string | null,
): TemplateResult {
  const [first, ...rest] = band.versions;
  const calls = band.calls === null ? '' : ` · ${many(band.calls, 'call')}`;
  const who = rest.length === 0 ? first : `${first} +${rest.length}`;
  const seen = band.seen.slice(0, 6).join(' · ');
  return html`<div
    class=${classMap({ band: true, selected: selected !== null && band.versions.includes(selected) })}
    role="listitem"
    title=${
      seen === ''
        ? l10n.t('{0} in {1}', band.text, band.versions.join(', '))
        : l10n.t('{0} in {1}; first values: {2}', band.text, band.versions.join(', '), seen)
    }
  >
    <span class="mono num range">${band.text}</span>
    <span class="axis" aria-hidden="true"
      ><i
        class="span span-${at % 4} ${band.high === null ? 'open' : ''}"
        ${styles({ left: `${start * 100}%`, width: `${(end - start) * 100}%` })}
      ></i
    ></span>
    <span class="dim num who">${who}${calls}</span>
  </div>`;
}
