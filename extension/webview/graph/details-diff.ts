/** What a comparison says in the details: of the selected node, and of the whole. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { ownName } from '../../src/shared/steps';
import { signed } from '../shared/format';
import { sameRewrite } from './diff';
import { countsView } from './diff-bar';
import type { Compared, DetailsActions, DetailsInput } from './details-parts';
import { row } from './details-parts';

/** What became of a node, and what made it so. */
export function changeOfNode(
  node: number,
  { graph }: DetailsInput,
  { pass }: Compared,
  act: DetailsActions,
): TemplateResult | typeof nothing {
  const { change } = graph;
  const state = change?.states[node] ?? 'same';
  if (!change || state === 'same') return nothing;
  const name = graph.data.names[node];
  const matches = pass?.matches ?? [];
  const match = matches.find((one) => (state === 'added' ? one.created : one.nodes).includes(name));
  const links = (names: readonly string[], kind: string): TemplateResult =>
    html`${names.map(
      (one, i) =>
        html`${i === 0 ? '' : ', '}<button class="link mono text-${kind}" @click=${() => act.node(one)}>
            ${one}
          </button>`,
    )}`;
  const heirs = graph.data.names.filter((_, i) => change.replaces[i].includes(name));
  const title = state === 'added' ? l10n.t('Made by') : state === 'removed' ? l10n.t('Removed by') : l10n.t('Before');
  const by = match?.pattern ?? pass?.name ?? null;
  return html`<section>
    <h3>${title}</h3>
    ${state === 'changed' || by === null ? nothing : html`<div class="mono clip" title=${by}>${ownName(by)}</div>`}
    <dl>
      ${change.was[node] === '' ? nothing : row(l10n.t('Was'), change.was[node])}
      ${change.replaces[node].length === 0 ? nothing : row(l10n.t('Replaces'), links(change.replaces[node], 'removed'))}
      ${heirs.length === 0 || state !== 'removed' ? nothing : row(l10n.t('Replaced by'), links(heirs.slice(0, 20), 'added'))}
    </dl>
    ${state === 'removed' && heirs.length === 0 ? html`<span class="dim">${l10n.t('Nothing took its place.')}</span>` : nothing}
  </section>`;
}

/** All places that changed, and Δ by part. */
export function comparedView({ diff, pass, places, at }: Compared, act: DetailsActions): TemplateResult {
  const same = sameRewrite(places);
  const grew =
    diff.delta > 0 ? l10n.t('the graph shrank') : diff.delta < 0 ? l10n.t('the graph grew') : l10n.t('the same size');
  const part = (before: number, after: number): TemplateResult =>
    html`${before} → ${after} <span class="dim">${signed(before - after)}</span>`;
  return html`<section>
      <h3>${l10n.t('All changes {0}', places.length)}</h3>
      ${places.map(
        ({ title, counts, node }, i) =>
          html`<button
            class="change-row ${i === at ? 'selected' : ''}"
            aria-current=${i === at}
            @click=${() => act.place(node)}
          >
            <span class="mono clip">${title}</span>${countsView(counts)}
          </button>`,
      )}
      ${same === null ? nothing : html`<span class="dim">${same}</span>`}
    </section>
    <section>
      <h3>${l10n.t('Δ by part')}</h3>
      <dl>
        ${row(l10n.t('Nodes'), part(diff.nodesBefore, diff.nodesAfter))}
        ${row(l10n.t('Edges'), part(diff.edgesBefore, diff.edgesAfter))}
        ${row('Δ', html`${signed(diff.delta)} <span class="dim">${grew}</span>`)}
      </dl>
      <div class="details-ways">
        <vscode-button @click=${() => act.textDiff()}>${l10n.t('Open text diff')}</vscode-button>
        ${
          pass === null
            ? nothing
            : html`<vscode-button secondary @click=${() => act.showPass()}>${l10n.t('Show pass')}</vscode-button>`
        }
      </div>
    </section>`;
}
