/** What the pattern matcher found in a pass. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { MatchInfo, PassInfo } from '../../src/shared/messages';
import { ownName } from '../../src/shared/steps';
import { baseName, many } from '../shared/format';

const MOST_PLACES = 6;
const MOST_NODES = 12;

/** Matches by `order` of the step: its own, and those of the passes that ran inside of it. */
export function matchesIn(steps: readonly PassInfo[]): Map<number, readonly MatchInfo[]> {
  const found = new Map<number, MatchInfo[]>();
  const around: PassInfo[] = [];
  for (const step of steps) {
    while (around.length > 0 && around[around.length - 1].depth >= step.depth) around.pop();
    around.push(step);
    if (step.matches.length === 0) continue;
    for (const { order } of around) found.set(order, [...(found.get(order) ?? []), ...step.matches]);
  }
  return found;
}

/** The same pattern's matches together, the one with most first. */
export function byPattern(matches: readonly MatchInfo[]): [pattern: string, matches: MatchInfo[]][] {
  const groups = new Map<string, MatchInfo[]>();
  for (const match of matches) groups.set(match.pattern, [...(groups.get(match.pattern) ?? []), match]);
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
}

/** `4 matches`, and below it each pattern with its number: for a tooltip. */
export const matchesText = (matches: readonly MatchInfo[]): string =>
  [many(matches.length, 'match')]
    .concat(byPattern(matches).map(([pattern, own]) => `${own.length} × ${ownName(pattern)}`))
    .join('\n');

const nodesText = ({ nodes, created }: MatchInfo): string =>
  `${nodes.join(', ')}${created.length === 0 ? '' : ` → ${created.join(', ')}`}`;

/** The list of patterns: how often each matched, and the lines that the nodes come from. */
export function matchesView(
  matches: readonly MatchInfo[],
  open: (file: string, line: number) => void,
): TemplateResult | typeof nothing {
  if (matches.length === 0) return nothing;
  return html`<section class="matches" role="region" tabindex="0" aria-label=${l10n.t('Pattern matches')}>
    ${byPattern(matches).map(
      ([pattern, own]) =>
        html`<div class="match">
          <span class="num">${own.length} ×</span>
          <span class="mono pattern" title=${[pattern, ...own.slice(0, MOST_NODES).map(nodesText)].join('\n')}
            >${ownName(pattern)}</span
          >
          <span class="dim">${own[0].target}</span>
          ${placesView(own, open)}
        </div>`,
    )}
  </section>`;
}

function placesView(matches: readonly MatchInfo[], open: (file: string, line: number) => void): TemplateResult {
  const places = new Map<string, { file: string; line: number }>();
  for (const { file, line } of matches)
    if (file !== null && line !== null) places.set(`${file}:${line}`, { file, line });
  const shown = [...places.values()].slice(0, MOST_PLACES);
  const rest = places.size - shown.length;
  return html`${shown.map(
    ({ file, line }) =>
      html`<button class="link" title="${file}:${line}" @click=${() => open(file, line)}>
        ${baseName(file)}:${line}
      </button>`,
  )}${rest > 0 ? html`<span class="dim">${l10n.t('and {0} more', many(rest, 'line'))}</span>` : nothing}`;
}
