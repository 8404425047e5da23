/** Rows of what is inside of a compile: its steps, and the kernels that came out. */
import * as l10n from '@vscode/l10n';
import type { KernelSummary, StepSummary } from '../../protocol.gen';
import { count } from '../nouns';
import { dotted, seconds } from '../text';
import type { Row } from './row';
import { WARNING, lines } from './row';

interface Look {
  label: string;
  icon: string;
  tooltip: string;
  /** The panel that shows it. */
  command: string;
}

const LOOKS: Readonly<Record<string, Look>> = {
  capture: {
    label: l10n.t('Capture'),
    icon: 'eye',
    tooltip: l10n.t('Dynamo traces the Python code into a graph.'),
    command: 'compilescope.showGraph',
  },
  aot: {
    label: 'AOTAutograd',
    icon: 'type-hierarchy-sub',
    tooltip: l10n.t('The graph is traced down to ATen operators, with its backward.'),
    command: 'compilescope.showGraph',
  },
  passes: {
    label: l10n.t('Passes'),
    icon: 'list-ordered',
    tooltip: l10n.t('Passes rewrite the graph: before, with and after autograd.'),
    command: 'compilescope.showPasses',
  },
  lowering: {
    label: l10n.t('Lowering and fusion'),
    icon: 'combine',
    tooltip: l10n.t('Operators become loops and calls, and loops are fused.'),
    command: 'compilescope.showGraph',
  },
  guards: {
    label: l10n.t('Guards'),
    icon: 'shield',
    tooltip: l10n.t('Checks that are made before the compiled code is used again.'),
    command: 'compilescope.showRecompiles',
  },
  code: {
    label: l10n.t('Code'),
    icon: 'zap',
    tooltip: l10n.t('Kernels are written and compiled.'),
    command: 'compilescope.showCode',
  },
};

const BRANCHES: readonly string[] = ['passes', 'code'];

/** `step` with its time. Unknown ones are shown by their name. */
export function stepRow(recording: string, compileId: string, step: StepSummary): Row {
  const look = LOOKS[step.key] ?? { label: step.key, icon: 'circle-small', tooltip: '', command: '' };
  const time = step.seconds === null ? null : seconds(step.seconds);
  return {
    id: `${recording}\n${compileId}\nstep ${step.key}`,
    label: look.label,
    description: dotted(step.note, time),
    tooltip: lines(dotted(look.label, step.note, time), look.tooltip),
    icon: look.icon,
    kind: 'step',
    branch: BRANCHES.includes(step.key),
    compileId,
    ...(look.command === '' ? {} : { command: { command: look.command, arguments: [{ recording, compileId }] } }),
  };
}

const KERNEL_ICONS: Readonly<Record<string, string>> = { extern: 'library', fallback: 'warning' };

export function kernelRow(recording: string, compileId: string, kernel: KernelSummary, index: number): Row {
  const { name, kind, file, line, operator } = kernel;
  const isFallback = kind === 'fallback';
  const direction = kernel.graph.split('/').at(-1);
  const source = file === null || line === null ? null : { file, line, column: -1, endLine: line, endColumn: -1 };
  return {
    id: `${recording}\n${compileId}\nkernel ${index}`,
    label: operator ?? name,
    description: dotted(
      direction !== 'inference' && direction,
      kernel.nodes > 1 && count(kernel.nodes, 'node'),
      line !== null && l10n.t('line {0}', line + 1),
    ),
    tooltip: lines(
      name,
      dotted(isFallback ? l10n.t('an operator without a lowering') : kind, count(kernel.nodes, 'node')),
      file === null || line === null ? null : `${file}:${line + 1}`,
    ),
    icon: KERNEL_ICONS[kind] ?? 'symbol-event',
    ...(isFallback ? { color: WARNING } : {}),
    kind: 'kernel',
    branch: false,
    compileId,
    command: { command: 'compilescope.showCode', arguments: [{ recording, compileId, kernel: name, source }] },
  };
}
