/** Rows of what went wrong. */
import type { Problem } from '../../protocol.gen';
import { buttons } from '../problem';
import type { Row } from './row';
import { ERROR } from './row';

/** The problem itself, then one row for each way out. */
export function problemRows(problem: Problem): [Row, ...Row[]] {
  const row: Row = {
    id: `problem\n${problem.code}`,
    label: problem.title,
    description: problem.detail,
    tooltip: `${problem.title}\n${problem.detail}`,
    icon: 'error',
    color: ERROR,
    kind: 'problem',
    branch: problem.actions.length > 0,
  };
  const ways = buttons(problem).map(({ title, command }): Row => ({
    id: `problem\n${problem.code}\n${command}`,
    label: title,
    description: '',
    tooltip: title,
    icon: 'arrow-right',
    kind: 'action',
    branch: false,
    command: { command, arguments: [] },
  }));
  return [row, ...ways];
}
