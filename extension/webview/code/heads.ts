/** The heads of the three columns. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { baseName, many } from '../shared/format';
import { icon } from '../shared/view';
import type { PageActions } from './actions';
import type { CodeSession } from './session';
import { TABS } from './state';
import { isStage, stageOf, whyNot } from './tabs';

export function sourceHead(session: CodeSession): TemplateResult {
  const { result, ui, cursor } = session;
  const files = result?.files ?? [];
  const name = ui.file === null ? l10n.t('No source') : baseName(ui.file);
  const line = cursor !== null && cursor.file === ui.file ? cursor.line : (session.place?.line ?? null);
  return html`<div class="hd">
    ${
      files.length > 1
        ? html`<vscode-single-select
            class="file"
            label=${l10n.t('File')}
            .value=${ui.file ?? ''}
            @change=${(event: Event) => session.set({ file: (event.target as HTMLSelectElement).value })}
          >
            ${files.map(({ path }) => html`<vscode-option value=${path} ?selected=${path === ui.file}>${baseName(path)}</vscode-option>`)}
          </vscode-single-select>`
        : html`<b class="clip" title=${ui.file ?? ''}>${name}</b>`
    }
    <span class="dim">${l10n.t('your source')}</span><span class="grow"></span>
    ${line === null ? nothing : html`<span class="dim num">${l10n.t('Ln {0}', line + 1)}</span>`}
  </div>`;
}

export function graphHead({ result, kernel }: CodeSession): TemplateResult {
  const all = result?.nodes.length ?? 0;
  return html`<div class="hd">
    <b>${l10n.t('Post-grad graph')}</b
    ><span class="dim num">${all > 0 ? many(all, 'node') : l10n.t('not recorded')}</span><span class="grow"></span>
    ${kernel === null || all === 0 ? nothing : html`<span class="dim num">${l10n.t('{0} in this kernel', kernel.nodes.length)}</span>`}
  </div>`;
}

export function codeHead(session: CodeSession, act: PageActions): TemplateResult {
  const { result, kernel, tab, text } = session;
  if (!result) return html``;
  const figures = kernel?.figures ?? [];
  const stage = stageOf(tab, kernel);
  return html`<div class="hd tabs">
    <div role="tablist" aria-label=${l10n.t('Code')}>
      ${TABS.map(({ id, label }, i) => {
        const why = whyNot(result, id, kernel);
        const shown = id === 'ptx' && stageOf(id, kernel) === 'amdgcn' ? 'AMDGCN' : label;
        return html`<button
          class="tab"
          role="tab"
          aria-selected=${id === tab}
          aria-disabled=${why !== null}
          tabindex=${id === tab ? 0 : -1}
          title=${why ?? `${label} (${i + 1})`}
          @click=${() => session.chooseTab(id)}
        >
          ${shown}
        </button>`;
      })}
    </div>
    <span class="grow"></span>
    <label class="field find">
      ${icon('search')}<input
        id="find"
        type="text"
        placeholder=${l10n.t('Find')}
        aria-label=${l10n.t('Find in the code')}
        spellcheck="false"
        @keydown=${(event: KeyboardEvent) => {
          if (event.key === 'Enter') act.find((event.target as HTMLInputElement).value, event.shiftKey ? -1 : 1);
        }}
      />
    </label>
    ${text?.preview === true ? html`<span class="badge" title=${text.limits.join('\n')}>${l10n.t('preview')}</span>` : nothing}
    ${
      figures.length > 0 && (tab === 'triton' || isStage(tab))
        ? html`<span class="dim num figures" title="${stage}: ${figures.join(' · ')}"
            >${figures.slice(0, 2).join(' · ')}</span
          >`
        : nothing
    }
  </div>`;
}
