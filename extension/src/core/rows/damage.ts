/** Rows of what could not be read. */
import * as l10n from '@vscode/l10n';
import type { DamageNote, DamageNotes } from '../../protocol.gen';
import type { Row } from './row';
import { WARNING, lines, noteRow } from './row';

/** The row that holds the damaged places of a run. */
export function damageRow(recording: string, { title, places }: DamageNotes): Row {
  const [first] = places;
  return {
    ...noteRow(`${recording}\ndamage`, title, 0),
    tooltip: lines(title, l10n.t('What stands elsewhere in the logs is shown all the same.')),
    description: first?.problem ?? '',
    icon: 'warning',
    color: WARNING,
    branch: true,
  };
}

/** One damaged place; what opens it is up to the view. */
export function damagedPlaceRow(recording: string, { log, offset, problem }: DamageNote, index: number): Row {
  return {
    ...noteRow(`${recording}\ndamage`, l10n.t('byte {0}', offset), index + 1),
    description: `${problem} · ${log}`,
    tooltip: lines(problem, `${log}:${offset}`),
    icon: 'go-to-file',
  };
}

/** That there are more than the rows above. */
export function moreDamageRow(recording: string, more: number): Row {
  return noteRow(`${recording}\nmore damage`, l10n.t('… and {0} more', more), 0);
}
