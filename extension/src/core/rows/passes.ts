/** Rows of the passes of a compile. */
import * as l10n from '@vscode/l10n';
import type { PassInfo, UnrunInfo } from '../../protocol.gen';
import { passTitle } from '../../shared/pass-title';
import { errorText, ownName, stepName } from '../../shared/steps';
import { dotted, seconds } from '../text';
import type { Row } from './row';
import { ERROR, lines, opening } from './row';

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
      l10n.t('{0}, {1} changed', phase.passes.length, changed),
      seconds(time),
    ),
    tooltip: l10n.t('{0} of {1}', phase.name, phase.graph),
    icon: 'list-ordered',
    kind: 'phase',
    branch: true,
  };
}

const OTHER_ICONS: Readonly<Record<string, string>> = { phase: 'arrow-right', gap: 'question' };

export function passRow(parent: string, recording: string, functionName: string, pass: PassInfo, index: number): Row {
  const { before, after } = pass;
  const isOther = pass.kind !== 'pass';
  const change = !pass.changed ? l10n.t('no change') : isOther ? null : `Δ ${signed(pass.delta ?? 0)}`;
  const failed = pass.error !== null;
  const time = pass.kind === 'gap' ? null : seconds(pass.seconds);
  return {
    id: `${parent}\n${index}`,
    label: stepName(pass),
    description: dotted(pass.custom && l10n.t('custom'), failed ? l10n.t('failed') : change, time),
    tooltip: lines(
      passTitle(pass, functionName),
      dotted(
        pass.nodesBefore !== null &&
          pass.nodesAfter !== null &&
          l10n.t('{0} → {1} nodes', pass.nodesBefore, pass.nodesAfter),
        change,
        time,
      ),
      pass.slot === null ? null : l10n.t('registered as {0}', pass.slot),
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
    description: dotted(l10n.t('never ran'), pass.reason),
    tooltip: lines(
      pass.function,
      l10n.t('registered as {0}', pass.slot),
      placeText(pass),
      l10n.t('Never ran. {0}', pass.reason),
    ),
    icon: 'circle-slash',
    kind: 'note',
    branch: false,
    ...(pass.file === null ? {} : { command: opening(pass.file, (pass.line ?? 1) - 1) }),
  };
}

const placeText = ({ file, line }: { file: string | null; line: number | null }): string | null =>
  file === null ? null : `${file}${line === null ? '' : `:${line}`}`;

function signed(value: number): string {
  return value < 0 ? `−${-value}` : value > 0 ? `+${value}` : '0';
}
