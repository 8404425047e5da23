/** Where a node came from and what became of it: the stages, the kernels, and the lines of a kernel. */
import { html, nothing, type TemplateResult } from 'lit';
import type { KernelInfo, LineageStep } from '../../src/shared/messages';
import { baseName, duration, many } from '../shared/format';
import { secondsOf } from './colours';
import { type DetailsActions, type DetailsInput, row, SHORT_LIST } from './details-parts';

const STAGES: Partial<Record<string, string>> = {
  dynamo: 'Dynamo',
  pre_grad: 'Pre-grad',
  aot: 'AOT',
  joint: 'Joint',
  post_grad: 'Post-grad',
  scheduler: 'Scheduler',
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
    <h3>Lineage</h3>
    ${
      lineage === undefined
        ? html`<span class="dim">Asking…</span>`
        : steps.length < 2
          ? html`<span class="dim">Not recorded for this graph.</span>`
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
          ? html`<button class="link" @click=${() => act.more(key)}>+ ${step.nodes.length - names.length} more</button>`
          : nothing
      }
    </span>
  </li>`;
}

/** What a kernel is, in a sentence. */
function kernelSentence({ kind, nodes, seconds }: KernelInfo): string {
  const time = seconds === null ? '' : ` ${duration(seconds)} a call.`;
  if (kind === 'extern') return `Library call. Not fused with other ops.${time}`;
  if (kind === 'fallback') return `Fallback: Inductor has no lowering, so eager's kernel runs.${time}`;
  return nodes > 1 ? `Fused with ${many(nodes - 1, 'other op')}.${time}` : `On its own.${time}`;
}

export function kernelsView({ lineage }: DetailsInput, act: DetailsActions): TemplateResult | typeof nothing {
  const kernels = lineage?.kernels ?? [];
  if (kernels.length === 0) return nothing;
  return html`<section>
    <h3>${kernels.length === 1 ? 'Kernel' : `Kernels ${kernels.length}`}</h3>
    ${kernels.slice(0, SHOWN).map(
      (kernel) =>
        html`<button
            class="link mono clip kernel"
            title="${kernel.name}: generated code (G)"
            @click=${() => act.code(kernel.name)}
          >
            ${kernel.name}
          </button>
          <div class="dim">${kernelSentence(kernel)}</div>`,
    )}
    ${kernels.length > SHOWN ? html`<div class="dim">and ${kernels.length - SHOWN} more</div>` : nothing}
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
        ${info === null ? nothing : row('Call', `${kernel! + 1} of ${data.kernels.length}`)}
        ${calls > 1 ? row('Called', many(calls, 'time')) : nothing}
        ${data.targets[node] === '' ? nothing : row('Scheduler', schedulerText(data.targets[node], data.names[node]))}
        ${info?.operator == null ? nothing : row('Operator', info.operator)}
        ${seconds === null ? nothing : row('Time', `${duration(seconds)} a call`)}
      </dl>
      ${
        info === null
          ? nothing
          : html`<div class="details-ways">
              <vscode-button @click=${() => act.code(info.name)}>Open generated code</vscode-button>
            </div>`
      }
    </section>
    <section>
      <h3>Ops ${origins.length}</h3>
      ${shown.map(
        (name) =>
          html`<div class="node-row">
            <button
              class="link mono clip"
              title="Show before the scheduler"
              @click=${() => act.other(before?.snapshot ?? '', name)}
            >
              ${name}
            </button>
          </div>`,
      )}
      ${
        shown.length < origins.length
          ? html`<button class="link" @click=${() => act.more('Ops')}>
              Show ${origins.length - shown.length} more
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
    <h3>${lines.length === 1 ? 'From one line' : `Fused from ${lines.length} lines`}</h3>
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
