/** Where the ranks of a job differ, as a page. */
import * as l10n from '@vscode/l10n';
import type { RankNote } from '../protocol.gen';
import { escapeMarkdown } from './text';

/** Markdown of what the rows of the runs view say of ranks; `run` is the job's name. */
export function ranksPage(run: string, ranks: readonly RankNote[]): string {
  const [counted, ...notes] = ranks;
  if (counted === undefined) return `${l10n.t('This run has no several ranks.')}\n`;
  const differences = notes.filter(({ groups }) => groups.length > 0);
  const others = notes.filter(({ groups }) => groups.length === 0);
  const parts = [
    `# ${l10n.t('Ranks of {0}', escapeMarkdown(run))}`,
    escapeMarkdown(counted.title),
    ...differences.flatMap(({ title, groups }) => [`## ${escapeMarkdown(title)}`, table(groups)]),
    others.map(({ title }) => `- ${escapeMarkdown(title)}`).join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** `ranks 0, 2: sin` as a row with the ranks and what they have. */
function table(groups: readonly string[]): string {
  const rows = groups.map((group) => {
    const [, ranks = '', what = group] = /^(ranks? [\d, -]+): (.*)$/s.exec(group) ?? [];
    return `| ${escapeMarkdown(ranks)} | ${escapeMarkdown(what)} |`;
  });
  return [`| ${l10n.t('Ranks')} | ${l10n.t('have')} |`, '|---|---|', ...rows].join('\n');
}
