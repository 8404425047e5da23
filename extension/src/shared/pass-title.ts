/** What the comparison of a pass is called, in the panel and in the tree. */
import type { PassInfo } from '../protocol.gen';
import { stepName } from './steps';

/** `remove_noop_ops · joint of forward [0/0]`, `stable_sort · post-grad, backward, of forward [0/0]`. */
export function passTitle(pass: PassInfo, functionName: string): string {
  const phase = pass.phase.replaceAll('_', '-');
  const side = /\/(forward|backward)(#\d+)?$/.exec(pass.graph)?.[1];
  const where = pass.phase === 'post_grad' && side !== undefined ? `${phase}, ${side},` : phase;
  return `${stepName(pass)} · ${where} of ${functionName} [${pass.compileId}]`;
}
