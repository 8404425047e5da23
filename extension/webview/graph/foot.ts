/** The footer: what is shown, and the keys that lead on. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { duration, many } from '../shared/format';
import { keyCaps } from '../shared/view';
import type { BarActions } from './bars';
import { type Crumb, directionLabel, shown } from './stages';
import type { UiState } from './state';

type Keys = readonly (readonly [string, string])[];

const FOOT_KEYS: Keys = [
  ['↑ ↓', l10n.t('along edges')],
  ['→', l10n.t('open group')],
  ['F', l10n.t('find')],
  ['Enter', l10n.t('go to source')],
  ['[ ]', l10n.t('stage')],
];
const DIFF_KEYS: Keys = [
  ['F7', l10n.t('next change')],
  ['1', l10n.t('overlay')],
  ['2', l10n.t('before')],
  ['3', l10n.t('after')],
  [', .', l10n.t('previous, next pass')],
  ['Esc', l10n.t('close diff')],
];
const SCHEDULE_KEYS: Keys = [
  ['↑ ↓', l10n.t('along edges')],
  ['Enter', l10n.t('go to source')],
  ['G', l10n.t('generated code')],
];

export interface FootInput {
  readonly crumb: Crumb | null;
  readonly ui: UiState;
  readonly running: boolean;
  readonly note: string;
  /** Kernel calls of the schedule that is shown. */
  readonly calls: number;
  /** The pass that is compared, and its place among all of its compile. */
  readonly pass: { at: number; of: number; seconds: number } | null;
}

function footText({ crumb, ui, calls, pass }: FootInput): string {
  if (!crumb) return '';
  const info = shown(crumb, ui.position);
  const side =
    crumb.direction && !crumb.key.startsWith('partition') ? directionLabel(crumb.direction).toLowerCase() : '';
  const where = side === '' ? crumb.label : `${crumb.label}, ${side}`;
  if (pass) return l10n.t('{0} · pass {1} of {2} · {3}', where, pass.at, pass.of, duration(pass.seconds));
  const { before, after } = crumb;
  if (crumb.key === 'scheduler' && calls > 0 && before && after)
    return l10n.t(
      '{0} · {1} before fusion, {2} after, {3}',
      where,
      many(before.nodes, 'node'),
      after.nodes,
      many(calls, 'kernel call'),
    );
  return info ? `${where} · ${many(info.nodes, 'node')}, ${many(info.edges, 'edge')}` : where;
}

export function footer(input: FootInput, act: BarActions): TemplateResult {
  const { ui, running, note, calls } = input;
  const keys = ui.diff !== null ? DIFF_KEYS : calls > 0 ? SCHEDULE_KEYS : FOOT_KEYS;
  return html`<footer class="bar foot">
    ${running ? html`<span>${l10n.t('Recording…')}</span>` : nothing}
    <span class="clip">${note || footText(input)}</span>
    <span class="grow"></span>
    <span class="keys">${keys.map(([key, what]) => html`<span>${keyCaps(key)} ${what}</span>`)}</span>
    <button @click=${() => act.keys()}><kbd>?</kbd> ${l10n.t('all keys')}</button>
  </footer>`;
}
