/** What the comparison of a pass is called, in the panel and in the tree. */
import * as l10n from '@vscode/l10n';
import type { PassInfo } from '../protocol.gen';
import { stepName } from './steps';

/** `remove_noop_ops · joint of forward [0/0]`, `stable_sort · post-grad, backward, of forward [0/0]`. */
export function passTitle(pass: PassInfo, functionName: string): string {
  const phase = pass.phase.replaceAll('_', '-');
  const side = /\/(forward|backward)(#\d+)?$/.exec(pass.graph)?.[1];
  const name = stepName(pass);
  return pass.phase === 'post_grad' && side !== undefined
    ? l10n.t('{0} · {1}, {2}, of {3} [{4}]', name, phase, side, functionName, pass.compileId)
    : l10n.t('{0} · {1} of {2} [{3}]', name, phase, functionName, pass.compileId);
}
