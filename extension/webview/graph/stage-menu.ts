/** The stages as one picker, for a panel that has no room for all of them side by side. */
import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { count, signed } from '../shared/format';
import type { Crumb, StageBar } from './stages';

export function stageMenu(bar: StageBar, crumb: Crumb | null, pick: (key: string) => void): TemplateResult {
  return html`<vscode-single-select
    class="stage-menu"
    label=${l10n.t('Stage')}
    title=${l10n.t('Stage; [ and ] go to the one before and after')}
    .value=${crumb?.key ?? ''}
    @change=${(event: Event) => pick((event.target as HTMLSelectElement).value)}
  >
    ${bar.steps
      .flat()
      .map(
        (one) => html`<vscode-option value=${one.key} ?selected=${one.key === crumb?.key}>${said(one)}</vscode-option>`,
      )}
  </vscode-single-select>`;
}

/** `Post-grad · 228 · Δ +12`. */
function said(crumb: Crumb): string {
  const delta = crumb.delta === null || crumb.delta === 0 ? '' : `Δ ${signed(crumb.delta)}`;
  const nodes = crumb.unavailable === null ? nodesOf(crumb) : l10n.t('not recorded');
  return [crumb.label, nodes, delta].filter((part) => part !== '').join(' · ');
}

/** How many nodes a stage has; of the scheduler's before and after fusion. */
export function nodesOf({ key, before, after }: Crumb): string {
  const info = after ?? before;
  if (info === null) return '';
  const fused = key === 'scheduler' && before && after && before.nodes !== after.nodes;
  return fused ? `${count(before.nodes)} → ${count(after.nodes)}` : count(info.nodes);
}
