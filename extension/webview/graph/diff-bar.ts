/** The bar of a comparison: what is compared, Δ and its parts, which side is drawn, and the way through the changes. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { GraphDiffResult, PassInfo } from '../../src/shared/messages';
import { ownName, stepName } from '../../src/shared/steps';
import { signed } from '../shared/format';
import { icon } from '../shared/view';
import { type Counts, formula, type Pair, type State } from './diff';
import type { Side } from './state';

export interface DiffInput {
  readonly diff: GraphDiffResult;
  readonly pair: Pair;
  readonly pass: PassInfo | null;
  readonly stage: string;
  readonly counts: Counts;
  readonly states: readonly State[];
  readonly side: Side;
  /** Which place that changed is selected, from 0; -1 for none. */
  readonly at: number;
  readonly places: number;
}

export interface DiffActions {
  pair(before: string, after: string): void;
  side(side: Side): void;
  nextChange(step: 1 | -1): void;
  nextPass(step: 1 | -1): void;
  closeDiff(): void;
}

export const SIDES: readonly (readonly [Side, string])[] = [
  ['overlay', l10n.t('Overlay')],
  ['before', l10n.t('Before')],
  ['after', l10n.t('After')],
];

/** What is compared: a pass, a stage, or two states of the user's choice. */
export function pairTitle({ pass, stage }: Pick<DiffInput, 'pass' | 'stage'>): string {
  if (pass) return pass.function !== null && pass.custom ? ownName(pass.function) : stepName(pass);
  return stage;
}

function statePicker(
  label: string,
  states: readonly State[],
  chosen: string,
  pick: (snapshot: string) => void,
): TemplateResult {
  const known = states.some(({ snapshot }) => snapshot === chosen);
  return html`<vscode-single-select
    class="state-picker"
    label=${label}
    title=${label}
    .value=${chosen}
    @change=${(event: Event) => pick((event.target as HTMLSelectElement).value)}
  >
    ${known ? nothing : html`<vscode-option value=${chosen} selected>${label.toLowerCase()}</vscode-option>`}
    ${states.map(
      ({ snapshot, label: text }) =>
        html`<vscode-option value=${snapshot} ?selected=${snapshot === chosen}>${text}</vscode-option>`,
    )}
  </vscode-single-select>`;
}

export function countsView({ added, removed, changed }: Counts): TemplateResult {
  return html`<span class="counts num"
    >${added ? html`<span class="text-added" title=${l10n.t('added')}>+${added}</span>` : nothing}
    ${removed ? html`<span class="text-removed" title=${l10n.t('removed')}>−${removed}</span>` : nothing}
    ${changed ? html`<span class="text-changed" title=${l10n.t('changed')}>~${changed}</span>` : nothing}</span
  >`;
}

export function diffBar(input: DiffInput, act: DiffActions): TemplateResult {
  const { diff, pair, states, side, at, places, counts } = input;
  return html`<div class="bar diff" role="region" aria-label=${l10n.t('Comparison')}>
    <b class="mono clip diff-title" title=${pairTitle(input)}>${pairTitle(input)}</b>
    ${
      states.length < 2
        ? nothing
        : html`<span class="states">
            ${statePicker(l10n.t('Before'), states, pair.before, (snapshot) => act.pair(snapshot, pair.after))}
            ${icon('arrow-right')}
            ${statePicker(l10n.t('After'), states, pair.after, (snapshot) => act.pair(pair.before, snapshot))}
          </span>`
    }
    <span class="vr"></span>
    ${countsView(counts)}
    <span class="vr formula-rule"></span>
    <span class="mono formula clip" title="${formula(diff)}${signed(diff.delta).replace('+', '')}"
      >${formula(diff)}<b>${signed(diff.delta).replace('+', '')}</b></span
    >
    <span class="mono delta">Δ <b>${signed(diff.delta)}</b></span>
    <span class="grow"></span>
    <span class="seg" role="radiogroup" aria-label=${l10n.t('Side')}>
      ${SIDES.map(
        ([value, text], i) =>
          html`<button
            class="tb"
            role="radio"
            title="${text} (${i + 1})"
            aria-checked=${side === value}
            @click=${() => act.side(value)}
          >
            ${text}
          </button>`,
      )}
    </span>
    <span class="dim num at" role="status"
      >${places === 0 ? l10n.t('no change') : l10n.t('change {0} / {1}', at < 0 ? '–' : at + 1, places)}</span
    >
    <button
      class="tb ic"
      title=${l10n.t('Previous change (Shift+F7)')}
      aria-label=${l10n.t('Previous change')}
      ?disabled=${places === 0}
      @click=${() => act.nextChange(-1)}
    >
      ${icon('arrow-up')}
    </button>
    <button
      class="tb ic"
      title=${l10n.t('Next change (F7)')}
      aria-label=${l10n.t('Next change')}
      ?disabled=${places === 0}
      @click=${() => act.nextChange(1)}
    >
      ${icon('arrow-down')}
    </button>
    <button
      class="tb ic"
      title=${l10n.t('Close the comparison (D)')}
      aria-label=${l10n.t('Close the comparison')}
      @click=${() => act.closeDiff()}
    >
      ${icon('close')}
    </button>
  </div>`;
}
