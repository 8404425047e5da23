/** States of runs and compiles in words; one that is not known by its own name. */
import * as l10n from '@vscode/l10n';

const STATES: Partial<Record<string, string>> = {
  running: l10n.t('running'),
  cancelled: l10n.t('cancelled'),
  'timed-out': l10n.t('timed-out'),
  killed: l10n.t('killed'),
  failed: l10n.t('failed'),
  skipped: l10n.t('skipped'),
};

const DEPTHS: Partial<Record<string, string>> = { full: l10n.t('full depth'), capture: l10n.t('capture depth') };

export const statusText = (status: string): string => STATES[status] ?? status;

export const depthText = (depth: string): string => DEPTHS[depth] ?? l10n.t('{0} depth', depth);
