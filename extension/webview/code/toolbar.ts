/** The bar above the columns: which compile, graph and kernel is shown, and how. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { directionName, directionOf } from '../shared/directions';
import { many } from '../shared/format';
import { compilePicker, icon } from '../shared/view';
import type { PageActions } from './actions';
import type { CodeSession } from './session';

/** More graphs than so many are in a picker. */
const MOST_BUTTONS = 4;

export function toolbar(session: CodeSession, act: PageActions): TemplateResult {
  const { result, ui, kernel } = session;
  const graphs = result?.graphs ?? [];
  const lines = kernel === null ? 0 : linesOf(session);
  return html`<header class="bar tools">
    ${compilePicker(result?.compiles ?? [], ui.compileId, (id) => void session.chooseGraph(id, null))}
    ${graphs.length > MOST_BUTTONS ? graphPicker(session, graphs) : graphs.length > 1 ? graphButtons(session, graphs) : nothing}
    ${session.kernels.length > 0 && ui.kernel !== null ? kernelPicker(session, ui.kernel) : nothing}
    ${
      kernel === null
        ? nothing
        : html`<span class="badge" title=${l10n.t('Nodes of the graph in this kernel')}
              >${many(kernel.nodes.length, 'node')}</span
            ><span class="badge" title=${l10n.t('Lines of the source in this kernel')}>${many(lines, 'line')}</span>`
    }
    <span class="grow"></span>
    <button class="tb narrow" aria-pressed=${ui.graphShown} @click=${() => session.set({ graphShown: !ui.graphShown })}>
      ${icon('type-hierarchy')}${l10n.t('Graph')}
    </button>
    <button
      class="tb"
      aria-pressed=${ui.follow}
      title=${l10n.t("Go where the editor's cursor is (F)")}
      @click=${() => session.set({ follow: !ui.follow })}
    >
      ${icon('target')}<span class="wide">${l10n.t('Follow cursor')}</span>
    </button>
    <button
      class="tb"
      aria-pressed=${ui.wrap}
      title=${l10n.t('Wrap long lines (Alt+Z)')}
      @click=${() => session.set({ wrap: !ui.wrap })}
    >
      ${icon('word-wrap')}<span class="wide">${l10n.t('Wrap')}</span>
    </button>
    <button class="tb" title=${l10n.t('Open the source in the editor (Enter)')} @click=${() => act.openFile()}>
      ${icon('go-to-file')}<span class="wide">${l10n.t('Open file')}</span>
    </button>
  </header>`;
}

function graphButtons(session: CodeSession, graphs: readonly string[]): TemplateResult {
  const { compileId, graph: shown } = session.ui;
  return html`<div class="seg" role="group" aria-label=${l10n.t('Graph')}>
    ${graphs.map(
      (graph) =>
        html`<button
          class="tb"
          aria-pressed=${graph === shown}
          @click=${() => void session.chooseGraph(compileId, graph)}
        >
          ${directionName(directionOf(graph))}
        </button>`,
    )}
  </div>`;
}

function graphPicker(session: CodeSession, graphs: readonly string[]): TemplateResult {
  const { compileId, graph: shown } = session.ui;
  return html`<vscode-single-select
    class="graph"
    label=${l10n.t('Graph')}
    title=${l10n.t('Graph')}
    ?combobox=${graphs.length > 12}
    .value=${shown ?? ''}
    @change=${(event: Event) => void session.chooseGraph(compileId, (event.target as HTMLSelectElement).value)}
  >
    ${graphs.map(
      (graph) =>
        html`<vscode-option value=${graph} ?selected=${graph === shown}
          >${directionName(directionOf(graph))}</vscode-option
        >`,
    )}
  </vscode-single-select>`;
}

function linesOf(session: CodeSession): number {
  const all = session.result?.expressions ?? [];
  return new Set(session.kernel?.expressions.map((group) => `${all[group].file}:${all[group].line}`)).size;
}

function kernelPicker(session: CodeSession, at: number): TemplateResult {
  const { kernels } = session;
  return html`<div class="kernel-picker">
    <button
      class="tb ic"
      title=${l10n.t('Previous kernel ([)')}
      aria-label=${l10n.t('Previous kernel')}
      ?disabled=${at === 0}
      @click=${() => session.chooseKernel(at - 1)}
    >
      ${icon('chevron-left')}
    </button>
    <vscode-single-select
      class="kernel"
      label=${l10n.t('Kernel')}
      title=${l10n.t('Kernel {0} of {1}, in the order in which they are called: {2}', at + 1, kernels.length, kernels[at].name)}
      ?combobox=${kernels.length > 12}
      .value=${String(at)}
      @change=${(event: Event) => session.chooseKernel(Number((event.target as HTMLSelectElement).value))}
    >
      ${kernels.map(
        (one, i) =>
          html`<vscode-option value=${String(i)} ?selected=${i === at}
            >${i + 1} / ${kernels.length} ${one.name}</vscode-option
          >`,
      )}
    </vscode-single-select>
    <button
      class="tb ic"
      title=${l10n.t('Next kernel (])')}
      aria-label=${l10n.t('Next kernel')}
      ?disabled=${at >= kernels.length - 1}
      @click=${() => session.chooseKernel(at + 1)}
    >
      ${icon('chevron-right')}
    </button>
  </div>`;
}
