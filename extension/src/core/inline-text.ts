/** The few dimmed words after a line with a finding. */
import * as l10n from '@vscode/l10n';
import { count as counted } from './nouns';
import { dotted, seconds } from './text';

export interface InlineFinding {
  rule: string;
  /** How often; 0 when the server does not say. */
  count: number;
  costS: number;
  /** From which run it is, in words, when its line was edited since. */
  from?: string | null;
}

/** Costs below this are not worth a word on the line. */
const WORTH_SAYING_S = 0.005;

/** The words for all findings on one line, dearest first; empty when there is nothing worth saying there. */
export function inlineText(findings: readonly InlineFinding[]): string {
  const found = dotted(...findings.toSorted((a, b) => b.costS - a.costS).map(words));
  const from = findings.find((finding) => typeof finding.from === 'string')?.from;
  return found === '' ? '' : dotted(found, from);
}

function words({ rule, count, costS }: InlineFinding): string {
  const cost = costS >= WORTH_SAYING_S && seconds(costS);
  switch (rule) {
    case 'recompile':
      return dotted(count === 0 ? l10n.t('recompiled') : counted(count, 'recompile'), cost);
    case 'recompile-limit':
      return l10n.t('recompile limit: eager from here on');
    case 'graph-break':
      return dotted(l10n.t('graph break'), count > 1 && `${count} ×`);
    case 'graph-break-error':
      return l10n.t('graph break, not allowed here');
    case 'frame-skipped':
      return l10n.t('the whole function runs in eager');
    case 'compile-error':
      return l10n.t('does not compile');
    case 'fallback-op':
      return l10n.t('runs through a kernel of its own');
    case 'slow-compile':
      return dotted(l10n.t('slow to compile'), cost);
    default:
      return '';
  }
}
