/** Rows of the two trees: what the server says, in words and icons. Knows nothing of VS Code. */
import type {
  CompileSummary,
  FindingSummary,
  FunctionSummary,
  PassInfo,
  Problem,
  RunSummary,
  UnrunInfo,
} from '../protocol.gen';
import { passTitle } from '../shared/pass-title';
import { errorText, ownName, stepName } from '../shared/steps';
import { buttons } from './problem';
import { firstGraph } from './targets';
import { count, dotted, seconds, when } from './text';

export interface Row {
  /** Stable while the thing it stands for is the same, so that a tree keeps its place. */
  id: string;
  label: string;
  description: string;
  tooltip: string;
  icon: string;
  color?: string;
  /** For menus: `run`, `function`, `compile`, `phase`, `pass`, `finding`, `problem`, `note`. */
  kind: string;
  /** May be opened. */
  branch: boolean;
  /** The compile that it stands for. */
  compileId?: string;
  command?: { command: string; arguments: unknown[] };
}

const WARNING = 'list.warningForeground';
const ERROR = 'list.errorForeground';
const PASSED = 'testing.iconPassed';

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
      run.started !== null && when(run.started, now).replace(/^today /, ''),
      run.wallS !== null && seconds(run.wallS),
    ),
    tooltip: lines(
      run.title,
      dotted(run.started !== null && when(run.started, now), howItEnded(run), run.wallS !== null && seconds(run.wallS)),
      countsOf(run),
      dotted(
        run.depth !== null && `${run.depth} depth`,
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
  if (run.status === 'finished') return run.exitCode === null ? '' : `exit ${run.exitCode}`;
  return run.status;
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
      summary.skipped ? `runs in eager: ${graphs}` : costs === '' ? graphs : costs,
    ),
    tooltip: lines(
      summary.name,
      dotted(graphs, costs, summary.skipped && 'runs in eager', seconds(summary.seconds)),
      `${summary.file}:${summary.line}`,
    ),
    icon: 'symbol-method',
    ...(trouble ? { color: WARNING } : {}),
    kind: 'function',
    branch: summary.compiles.length > 0,
    ...(compileId === null ? {} : { compileId }),
    command: {
      command: 'compilescope.openSource',
      arguments: [{ file: summary.file, line: summary.line - 1, column: 0, endLine: -1, endColumn: -1 }],
    },
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
    description: dotted(compile.status !== 'ok' && compile.status, seconds(compile.seconds), label),
    tooltip: lines(
      dotted(`compile ${compile.id}`, compile.status !== 'ok' && compile.status),
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

/** Passes of one phase, in the order in which they ran. */
export interface Phase {
  graph: string;
  name: string;
  passes: PassInfo[];
}

/** Neighbouring passes of the same graph and phase together. */
export function phases(passes: readonly PassInfo[]): Phase[] {
  const groups: Phase[] = [];
  for (const pass of passes) {
    const last = groups.at(-1);
    if (last?.graph === pass.graph && last.name === pass.phase) last.passes.push(pass);
    else groups.push({ graph: pass.graph, name: pass.phase, passes: [pass] });
  }
  return groups;
}

export function phaseRow(recording: string, phase: Phase, index: number): Row {
  const changed = phase.passes.filter((pass) => pass.changed).length;
  const time = phase.passes.filter((pass) => pass.depth === 0).reduce((sum, pass) => sum + pass.seconds, 0);
  return {
    id: `${recording}\n${phase.graph}\n${phase.name}\n${index}`,
    label: phase.name,
    description: dotted(
      phase.graph.split('/').slice(2).join('/'),
      `${phase.passes.length}, ${changed} changed`,
      seconds(time),
    ),
    tooltip: `${phase.name} of ${phase.graph}`,
    icon: 'list-ordered',
    kind: 'phase',
    branch: true,
  };
}

const OTHER_ICONS: Readonly<Record<string, string>> = { phase: 'arrow-right', gap: 'question' };

export function passRow(parent: string, recording: string, functionName: string, pass: PassInfo, index: number): Row {
  const { before, after } = pass;
  const isOther = pass.kind !== 'pass';
  const change = !pass.changed ? 'no change' : isOther ? null : `Δ ${signed(pass.delta ?? 0)}`;
  const failed = pass.error !== null;
  const time = pass.kind === 'gap' ? null : seconds(pass.seconds);
  return {
    id: `${parent}\n${index}`,
    label: stepName(pass),
    description: dotted(pass.custom && 'custom', failed ? 'failed' : change, time),
    tooltip: lines(
      passTitle(pass, functionName),
      dotted(
        pass.nodesBefore !== null && pass.nodesAfter !== null && `${pass.nodesBefore} → ${pass.nodesAfter} nodes`,
        change,
        time,
      ),
      pass.slot === null ? null : `registered as ${pass.slot}`,
      placeText(pass),
      errorText(pass),
    ),
    icon: failed ? 'error' : isOther ? (OTHER_ICONS[pass.kind] ?? 'dash') : pass.changed ? 'diff-modified' : 'dash',
    ...(failed ? { color: ERROR } : {}),
    kind: 'pass',
    branch: false,
    ...(before !== null && after !== null && before !== after
      ? {
          command: {
            command: 'compilescope.openDiff',
            arguments: [{ recording, before, after, title: passTitle(pass, functionName) }],
          },
        }
      : {}),
  };
}

/** A pass that the program registered and that did not run. */
export function unrunRow(parent: string, pass: UnrunInfo, index: number): Row {
  return {
    id: `${parent}\nunrun ${index}`,
    label: ownName(pass.function),
    description: dotted('never ran', pass.reason),
    tooltip: lines(pass.function, `registered as ${pass.slot}`, placeText(pass), `Never ran. ${pass.reason}`),
    icon: 'circle-slash',
    kind: 'note',
    branch: false,
    ...(pass.file === null
      ? {}
      : {
          command: {
            command: 'compilescope.openSource',
            arguments: [{ file: pass.file, line: (pass.line ?? 1) - 1, column: 0, endLine: -1, endColumn: -1 }],
          },
        }),
  };
}

const placeText = ({ file, line }: { file: string | null; line: number | null }): string | null =>
  file === null ? null : `${file}${line === null ? '' : `:${line}`}`;

/** The parts that are there, one a line. */
function lines(...parts: (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join('\n');
}

function signed(value: number): string {
  return value < 0 ? `−${-value}` : value > 0 ? `+${value}` : '0';
}

const FINDING_ICONS: Readonly<Record<string, { icon: string; color?: string }>> = {
  error: { icon: 'error', color: ERROR },
  warning: { icon: 'warning', color: WARNING },
  information: { icon: 'info' },
  hint: { icon: 'lightbulb' },
};

/** `isOnlyFile`: all findings of the run are in one file, so that it need not be named: a view has room for little. */
export function findingRow(
  recording: string,
  finding: FindingSummary,
  isOnlyFile: boolean,
  baseName: (file: string) => string,
): Row {
  const { file, line, character } = finding;
  const look = FINDING_ICONS[finding.severity] ?? { icon: 'info' };
  const place = file === null ? '' : isOnlyFile ? `:${line + 1}` : `${baseName(file)}:${line + 1}`;
  const cost = finding.costS > 0 && seconds(finding.costS);
  return {
    id: [recording, finding.rule, file ?? '', String(line), String(character), finding.title].join('\n'),
    label: finding.title.replaceAll('`', ''),
    description: dotted(place, finding.count > 1 && `${finding.count} ×`, cost),
    tooltip: lines(
      finding.title.replaceAll('`', ''),
      dotted(finding.rule, `${finding.count} ×`, cost),
      file === null ? '' : `${file}:${line + 1}`,
    ),
    icon: finding.rule.startsWith('recompile') ? 'refresh' : look.icon,
    ...(look.color === undefined ? {} : { color: look.color }),
    kind: 'finding',
    branch: false,
    ...(file === null
      ? {}
      : {
          command: {
            command: 'compilescope.openSource',
            arguments: [{ file, line, column: character, endLine: -1, endColumn: -1 }],
          },
        }),
  };
}

export function noteRow(recording: string, note: string, index: number): Row {
  return {
    id: `${recording}\nnote ${index}`,
    label: note,
    description: '',
    tooltip: note,
    icon: 'note',
    kind: 'note',
    branch: false,
  };
}

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
