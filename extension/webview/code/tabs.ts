/** The tabs of the code column: which there are, and why one has nothing to show. */
import * as l10n from '@vscode/l10n';
import type { CodeKernelInfo, CodeResult, CodeTextInfo } from '../../src/shared/messages';
import type { Tab } from './state';

export function textOf(result: CodeResult, tab: Tab): CodeTextInfo | null {
  const kind = tab === 'cpp' ? 'cpp' : 'triton';
  return result.texts.find((text) => text.kind === kind) ?? null;
}

/** The stage as the recording names it: AMD's assembly takes the place of PTX. */
export function stageOf(tab: Tab, kernel: CodeKernelInfo | null): string {
  return tab === 'ptx' && kernel?.stages.includes('amdgcn') === true ? 'amdgcn' : tab;
}

export const isStage = (tab: Tab): boolean => tab !== 'cpp' && tab !== 'triton';

/** Why a tab is empty; null when it is not. */
export function whyNot(result: CodeResult, tab: Tab, kernel: CodeKernelInfo | null): string | null {
  if (tab === 'cpp') return textOf(result, tab) ? null : l10n.t('This graph runs on a GPU: there is no C++ kernel.');
  if (!textOf(result, 'triton')) {
    return l10n.t('Compiled for the CPU: no Triton. Trace with --triton-preview sm_90 to see what a GPU would run.');
  }
  if (tab === 'triton') return null;
  if (kernel === null) return l10n.t('Choose a kernel first.');
  if (kernel.start === null) return l10n.t('A library call: it has no code of its own.');
  if (kernel.stages.includes(stageOf(tab, kernel))) return null;
  return kernel.language === 'Triton'
    ? l10n.t('The recording does not have this stage of the kernel.')
    : l10n.t('A {0} kernel has no such stage.', kernel.language);
}

/** The first tab with something in it. */
export function firstTab(result: CodeResult): Tab {
  return textOf(result, 'cpp') || !textOf(result, 'triton') ? 'cpp' : 'triton';
}

/** The kernel of another text that computes most of what `kernel` does. */
export function counterpart(kernel: CodeKernelInfo, others: readonly CodeKernelInfo[]): number | null {
  const nodes = new Set(kernel.nodes);
  let best: number | null = null;
  let most = 0;
  others.forEach((other, at) => {
    const common = other.nodes.filter((node) => nodes.has(node)).length / Math.max(1, other.nodes.length);
    if (common > most) {
      most = common;
      best = at;
    }
  });
  return best;
}
