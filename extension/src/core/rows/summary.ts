/** Rows that say what a run came to. */
import * as l10n from '@vscode/l10n';
import type { RunDetailResult } from '../../protocol.gen';
import { count } from '../nouns';
import { dotted, seconds } from '../text';
import type { Row } from './row';
import { noteRow } from './row';
import { depthText } from './states';

/** Nothing for a run that compiled nothing: the other views say so. */
export function summaryRows({ run, functions, findings }: RunDetailResult): Row[] {
  if (functions.length === 0) return [];
  const compiling = functions.reduce((sum, one) => sum + one.seconds, 0);
  const again = findings.filter(({ rule }) => rule === 'recompile').reduce((sum, one) => sum + one.costS, 0);
  const eager = functions.filter(({ skipped }) => skipped).length;
  const inGraphs = functions.filter(({ graphs }) => graphs > 0).length;
  const said = [
    again > 0
      ? l10n.t('Compiling took {0}, {1} of it on recompiles', seconds(compiling), seconds(again))
      : l10n.t('Compiling took {0}', seconds(compiling)),
    dotted(
      l10n.t('{0}: {1} in graphs', count(functions.length, 'function'), inGraphs),
      eager > 0 && l10n.t('{0} with a frame in eager', eager),
    ).replace(' · ', ', '),
    dotted(
      run.depth !== null && depthText(run.depth),
      run.torch !== null && `torch ${run.torch}`,
      run.cost !== null && run.cost,
    ),
  ];
  const icons = ['watch', 'symbol-method', 'info'];
  return said.flatMap((text, index) =>
    text === '' ? [] : [{ ...noteRow(`${run.recording}\nsummary`, text, index), icon: icons[index] ?? 'info' }],
  );
}
