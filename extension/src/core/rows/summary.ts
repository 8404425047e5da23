/** Rows that say what a run came to. */
import type { RunDetailResult } from '../../protocol.gen';
import { count, dotted, seconds } from '../text';
import type { Row } from './row';
import { noteRow } from './row';

/** Nothing for a run that compiled nothing: the other views say so. */
export function summaryRows({ run, functions, findings }: RunDetailResult): Row[] {
  if (functions.length === 0) return [];
  const compiling = functions.reduce((sum, one) => sum + one.seconds, 0);
  const again = findings.filter(({ rule }) => rule === 'recompile').reduce((sum, one) => sum + one.costS, 0);
  const eager = functions.filter(({ skipped }) => skipped).length;
  const inGraphs = functions.filter(({ graphs }) => graphs > 0).length;
  const said = [
    `Compiling took ${seconds(compiling)}${again > 0 ? `, ${seconds(again)} of it on recompiles` : ''}`,
    dotted(
      `${count(functions.length, 'function')}: ${inGraphs} in graphs`,
      eager > 0 && `${eager} with a frame in eager`,
    ).replace(' · ', ', '),
    dotted(
      run.depth !== null && `${run.depth} depth`,
      run.torch !== null && `torch ${run.torch}`,
      run.cost !== null && run.cost,
    ),
  ];
  const icons = ['watch', 'symbol-method', 'info'];
  return said.flatMap((text, index) =>
    text === '' ? [] : [{ ...noteRow(`${run.recording}\nsummary`, text, index), icon: icons[index] ?? 'info' }],
  );
}
