/** Where a node came from and what became of it: the stages, the kernels, and the lines of a kernel. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { KernelInfo, LineageStep } from '../../src/shared/messages';
import { baseName, duration, many } from '../shared/format';
import { secondsOf } from './colours';
import { type DetailsActions, type DetailsInput, row, SHORT_LIST } from './details-parts';

const STAGES: Partial<Record<string, string>> = {
  dynamo: 'Dynamo',
  pre_grad: l10n.t('Pre-grad'),
  aot: 'AOT',
  joint: l10n.t('Joint'),
  post_grad: l10n.t('Post-grad'),
  scheduler: l10n.t('Scheduler'),
};

/** `Forward` for the graph as AOTAutograd split it, `Post-grad, backward` where both directions are in the list. */
function stepLabel({ stage, graph }: LineageStep, isBoth: boolean): string {
  const direction = graph.slice(graph.lastIndexOf('/') + 1);
  const name = STAGES[stage] ?? stage;
  if (stage === 'aot' && direction !== 'joint') return direction.charAt(0).toUpperCase() + direction.slice(1);
  return isBoth && (stage === 'post_grad' || stage === 'scheduler') ? `${name}, ${direction}` : name;
}

const SHOWN = 4;

export function lineageView({ lineage, expanded }: DetailsInput, act: DetailsActions): TemplateResult | typeof nothing {
  if (lineage === null) return nothing;
  const steps = lineage?.steps ?? [];
  const late = new Set(steps.filter(({ stage }) => stage === 'post_grad').map(({ graph }) => graph));
  return html`<section>
    <h3>${l10n.t('Lineage')}</h3>
    ${
      lineage === undefined
        ? html`<span class="dim">${l10n.t('Asking…')}</span>`
        : steps.length < 2
          ? html`<span class="dim">${l10n.t('Not recorded for this graph.')}</span>`
          : html`<ol class="lineage">
              ${steps.map((step) => stepView(step, late.size > 1, expanded, act))}
            </ol>`
    }
  </section>`;
}

function stepView(
  step: LineageStep,
  isBoth: boolean,
  expanded: ReadonlySet<string>,
  act: DetailsActions,
): TemplateResult {
  const key = `lineage ${step.snapshot}`;
  const names = expanded.has(key) ? step.nodes : step.nodes.slice(0, SHOWN);
  return html`<li class=${step.here ? 'here' : ''} aria-current=${step.here ? 'step' : nothing}>
    <span class="stage-name">${stepLabel(step, isBoth)}</span>
    <span class="stage-nodes">
      ${
        step.nodes.length === 0
          ? html`<span class="dim">–</span>`
          : names.map((name) =>
              step.here
                ? html`<b class="mono">${name}</b> `
                : html`<button class="link mono" @click=${() => act.other(step.snapshot, name)}>${name}</button> `,
            )
      }
      ${
        names.length < step.nodes.length
          ? html`<button class="link" @click=${() => act.more(key)}>
              ${l10n.t('+ {0} more', step.nodes.length - names.length)}
            </button>`
          : nothing
      }
    </span>
  </li>`;
}

/** What a kernel is, in a sentence. */
function kernelSentence({ kind, nodes, seconds }: KernelInfo): string {
  const what =
    kind === 'extern'
      ? l10n.t('Library call. Not fused with other ops.')
      : kind === 'fallback'
        ? l10n.t("Fallback: Inductor has no lowering, so eager's kernel runs.")
        : nodes > 1
          ? l10n.t('Fused with {0}.', many(nodes - 1, 'other op'))
          : l10n.t('On its own.');
  return seconds === null ? what : `${what} ${l10n.t('{0} a call.', duration(seconds))}`;
}

export function kernelsView({ lineage }: DetailsInput, act: DetailsActions): TemplateResult | typeof nothing {
  const kernels = lineage?.kernels ?? [];
  if (kernels.length === 0) return nothing;
  return html`<section>
    <h3>${kernels.length === 1 ? l10n.t('Kernel') : l10n.t('Kernels {0}', kernels.length)}</h3>
    ${kernels.slice(0, SHOWN).map(
      (kernel) =>
        html`<button
            class="link mono clip kernel"
            title=${l10n.t('{0}: generated code (G)', kernel.name)}
            @click=${() => act.code(kernel.name)}
          >
            ${kernel.name}
          </button>
          <div class="dim">${kernelSentence(kernel)}</div>`,
    )}
    ${kernels.length > SHOWN ? html`<div class="dim">${l10n.t('and {0} more', kernels.length - SHOWN)}</div>` : nothing}
  </section>`;
}

/** `fused, 7 nodes`, `extern, op9`: torch joins the names of what it fuses. */
function schedulerText(target: string, name: string): string {
  const parts = name.split('_').length;
  return `${target}, ${parts > 1 ? many(parts, 'node') : name}`;
}

/** Facts and operations of a kernel call. */
export function operationsView(
  node: number,
  { graph, lineage, expanded }: DetailsInput,
  act: DetailsActions,
): TemplateResult {
  const { data } = graph;
  const origins = data.origins[node];
  const kernel = data.kernel.at(node)?.at(0);
  const info = kernel === undefined ? null : data.kernels[kernel];
  const seconds = secondsOf(graph, node);
  const calls = info === null ? 0 : data.kernels.filter(({ name }) => name === info.name).length;
  const before = lineage?.steps.find(({ stage }) => stage === 'post_grad');
  const shown = expanded.has('Ops') ? origins : origins.slice(0, SHORT_LIST);
  return html`<section>
      <dl>
        ${info === null ? nothing : row(l10n.t('Call'), l10n.t('{0} of {1}', kernel! + 1, data.kernels.length))}
        ${calls > 1 ? row(l10n.t('Called'), many(calls, 'time')) : nothing}
        ${data.targets[node] === '' ? nothing : row(l10n.t('Scheduler'), schedulerText(data.targets[node], data.names[node]))}
        ${info?.operator == null ? nothing : row(l10n.t('Operator'), info.operator)}
        ${seconds === null ? nothing : row(l10n.t('Time'), l10n.t('{0} a call', duration(seconds)))}
      </dl>
      ${
        info === null
          ? nothing
          : html`<div class="details-ways">
              <vscode-button @click=${() => act.code(info.name)}>${l10n.t('Open generated code')}</vscode-button>
            </div>`
      }
    </section>
    <section>
      <h3>${l10n.t('Ops {0}', origins.length)}</h3>
      ${shown.map(
        (name) =>
          html`<div class="node-row">
            <button
              class="link mono clip"
              title=${l10n.t('Show before the scheduler')}
              @click=${() => act.other(before?.snapshot ?? '', name)}
            >
              ${name}
            </button>
          </div>`,
      )}
      ${
        shown.length < origins.length
          ? html`<button class="link" @click=${() => act.more('Ops')}>
              ${l10n.t('Show {0} more', origins.length - shown.length)}
            </button>`
          : nothing
      }
    </section>`;
}

/** Source lines of the operations in a kernel. */
export function linesView({ lineage }: DetailsInput, act: DetailsActions): TemplateResult | typeof nothing {
  const lines = lineage?.lines ?? [];
  if (lines.length === 0) return nothing;
  return html`<section>
    <h3>${lines.length === 1 ? l10n.t('From one line') : l10n.t('Fused from {0} lines', lines.length)}</h3>
    ${lines.slice(0, SHORT_LIST).map(
      ({ file, line, code }) =>
        html`<div class="node-row">
          <button
            class="link"
            title=${file}
            @click=${() => act.source({ file, line: line - 1, column: -1, endLine: line - 1, endColumn: -1 })}
          >
            ${baseName(file)}:${line}
          </button>
          <span class="mono dim clip">${code}</span>
        </div>`,
    )}
  </section>`;
}
