/** Rows of the runs view down to a compile. */
import * as l10n from '@vscode/l10n';
import type { CompileSummary, FunctionSummary, RunSummary } from '../../protocol.gen';
import { firstGraph } from '../targets';
import { count } from '../nouns';
import { dotted, seconds, when, whenBriefly } from '../text';
import type { Row } from './row';
import { ERROR, PASSED, WARNING, lines, opening } from './row';
import { depthText, statusText } from './states';

const RUN_ICONS: Readonly<Record<string, { icon: string; color?: string }>> = {
  running: { icon: 'loading~spin' },
  cancelled: { icon: 'circle-slash' },
  'timed-out': { icon: 'watch', color: WARNING },
  killed: { icon: 'error', color: ERROR },
  failed: { icon: 'error', color: ERROR },
};

export function runRow(run: RunSummary, now: Date): Row {
  const ended = run.status === 'finished' && (run.exitCode ?? 0) !== 0 ? 'failed' : run.status;
  const look = RUN_ICONS[ended] ?? { icon: 'pass', color: PASSED };
  return {
    id: run.recording,
    label: run.title,
    description: dotted(
      ended !== 'finished' && howItEnded(run),
      run.started !== null && whenBriefly(run.started, now),
      run.wallS !== null && seconds(run.wallS),
    ),
    tooltip: lines(
      run.title,
      dotted(run.started !== null && when(run.started, now), howItEnded(run), run.wallS !== null && seconds(run.wallS)),
      countsOf(run),
      dotted(
        run.depth !== null && depthText(run.depth),
        run.torch !== null && `torch ${run.torch}`,
        run.cost !== null && run.cost,
      ),
      run.recording,
    ),
    ...look,
    kind: 'run',
    branch: true,
  };
}

function howItEnded(run: RunSummary): string {
  if (run.status === 'finished') return run.exitCode === null ? '' : l10n.t('exit {0}', run.exitCode);
  return statusText(run.status);
}

function countsOf(run: Pick<RunSummary, 'graphs' | 'breaks' | 'recompiles'>): string {
  return dotted(
    count(run.graphs, 'graph'),
    run.breaks > 0 && count(run.breaks, 'break'),
    run.recompiles > 0 && count(run.recompiles, 'recompile'),
  );
}

export function functionRow(recording: string, summary: FunctionSummary): Row {
  const trouble = summary.breaks + summary.recompiles > 0 || summary.skipped;
  const costs = dotted(
    summary.breaks > 0 && count(summary.breaks, 'break'),
    summary.recompiles > 0 && count(summary.recompiles, 'recompile'),
  );
  const graphs = count(summary.graphs, 'graph');
  const compileId = firstGraph(summary.compiles);
  return {
    id: `${recording}\n${summary.file}\n${summary.line}\n${summary.name}`,
    label: summary.name,
    description: dotted(
      seconds(summary.seconds),
      summary.skipped ? l10n.t('runs in eager: {0}', graphs) : costs === '' ? graphs : costs,
    ),
    tooltip: lines(
      summary.name,
      dotted(graphs, costs, summary.skipped && l10n.t('runs in eager'), seconds(summary.seconds)),
      `${summary.file}:${summary.line}`,
    ),
    icon: 'symbol-method',
    ...(trouble ? { color: WARNING } : {}),
    kind: 'function',
    branch: summary.compiles.length > 0,
    ...(compileId === null ? {} : { compileId }),
    command: opening(summary.file, summary.line - 1),
  };
}

export function compileRow(recording: string, compile: CompileSummary, index: number): Row {
  const label = compile.label.startsWith(compile.id) ? compile.label.slice(compile.id.length).trim() : compile.label;
  const failed = compile.status === 'failed';
  const again = !/\/0(_\d+)?$/.test(compile.id);
  return {
    // Ranks of one job have compiles of the same id.
    id: `${recording}\n${compile.id}\n${index}`,
    label: compile.id,
    description: dotted(compile.status !== 'ok' && statusText(compile.status), seconds(compile.seconds), label),
    tooltip: lines(
      dotted(l10n.t('compile {0}', compile.id), compile.status !== 'ok' && statusText(compile.status)),
      label,
      dotted(count(compile.nodes, 'node'), seconds(compile.seconds)),
    ),
    icon: failed ? 'error' : compile.status === 'running' ? 'loading~spin' : again ? 'refresh' : 'layers',
    ...(failed ? { color: ERROR } : again ? { color: WARNING } : {}),
    kind: 'compile',
    compileId: compile.id,
    branch: compile.status !== 'running',
  };
}
