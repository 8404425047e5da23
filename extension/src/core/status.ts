/** What the status bar says, from the state of the server and its last words. */
import * as l10n from '@vscode/l10n';
import type { Problem, RunDetailResult, StatusChanged } from '../protocol.gen';
import { count } from './nouns';
import { buttons } from './problem';
import type { SessionState } from './session-state';
import { dotted, escapeMarkdown } from './text';

export interface StatusInput {
  session: SessionState;
  /** The server's last status; undefined before the first. */
  status: StatusChanged | undefined;
  /** What went wrong last, if nothing has gone right since. */
  problem: Problem | undefined;
  /** What is known against the interpreter; told in the tooltip, where nobody has asked for a trace yet. */
  interpreterProblem: Problem | undefined;
  /** Which folders are watched, ready to show; empty for none. */
  watched?: string;
  trusted: boolean;
  /** Which interpreter runs scripts, ready to show. */
  interpreter: string | undefined;
}

export type StatusTone = 'plain' | 'findings' | 'warning' | 'error';

export interface StatusView {
  text: string;
  tone: StatusTone;
  /** Markdown with command links; what is not ours in it is escaped. */
  tooltip: string;
  /** Nothing to tell: may be hidden while no Python file is open. */
  quiet: boolean;
}

/** The commands of the tooltip's menu, with their titles. */
export const MENU: readonly { title: string; icon: string; command: string }[] = [
  { title: l10n.t('Compile and Trace'), icon: 'telescope', command: 'compilescope.trace' },
  { title: l10n.t('Show Graph'), icon: 'type-hierarchy', command: 'compilescope.showGraph' },
  { title: l10n.t('Show Pass Trace'), icon: 'list-ordered', command: 'compilescope.showPasses' },
  { title: l10n.t('Show Output'), icon: 'terminal', command: 'compilescope.showOutput' },
  { title: l10n.t('Show Logs'), icon: 'output', command: 'compilescope.showLogs' },
  { title: l10n.t('Select Interpreter'), icon: 'vm', command: 'compilescope.selectInterpreter' },
  { title: l10n.t('Restart Server'), icon: 'debug-restart', command: 'compilescope.restart' },
  { title: l10n.t('Open Settings'), icon: 'gear', command: 'compilescope.openSettings' },
];

/** `2 breaks · 4 recompiles · 1 skipped`; `1 graph` when there is nothing to improve. */
export function findingsText(status: StatusChanged): string {
  const found = dotted(
    status.errors > 0 && count(status.errors, 'error'),
    status.breaks > 0 && count(status.breaks, 'break'),
    status.recompiles > 0 && count(status.recompiles, 'recompile'),
    status.skipped > 0 && l10n.t('{0} skipped', status.skipped),
  );
  if (found !== '') return found;
  return status.graphs > 0 ? count(status.graphs, 'graph') : 'Compilescope';
}

/** The server's status as that of a run which the user opened or selected. */
export function statusOfRun({ run, findings }: Pick<RunDetailResult, 'run' | 'findings'>): StatusChanged {
  const { graphs, breaks, recompiles, errors, cost } = run;
  const skipped = findings.filter(({ rule }) => rule === 'frame-skipped').length;
  const status = { state: 'idle', text: '', tooltip: '', graphs, breaks, recompiles, errors, skipped };
  const found = findingsText({ ...status, graphs: 0 });
  const said = dotted(count(graphs, 'graph'), found !== 'Compilescope' && found, cost !== null && cost);
  return { ...status, tooltip: `${run.title}: ${said}` };
}

export function statusView(input: StatusInput): StatusView {
  const { session, status, trusted } = input;
  const problem = session.name === 'failed' ? session.problem : input.problem;
  const tooltip = tooltipOf(input, problem ?? input.interpreterProblem);
  if (session.name === 'failed') return { text: '$(error) Compilescope', tone: 'error', tooltip, quiet: false };
  if (session.name === 'resolving' || session.name === 'starting') {
    return { text: '$(loading~spin) Compilescope', tone: 'plain', tooltip, quiet: true };
  }
  if (status !== undefined && status.state !== 'idle') {
    return { text: withIcon(status.text, 'loading~spin'), tone: 'plain', tooltip, quiet: false };
  }
  if (problem !== undefined) return { text: '$(warning) Compilescope', tone: 'warning', tooltip, quiet: false };
  if (status === undefined || !trusted) {
    return { text: '$(telescope) Compilescope', tone: 'plain', tooltip, quiet: true };
  }
  const found = status.breaks + status.recompiles + status.skipped + status.errors > 0;
  return {
    text: `$(${input.watched ? 'eye' : 'telescope'}) ${findingsText(status)}`,
    tone: found ? 'findings' : 'plain',
    tooltip,
    quiet: status.graphs === 0 && !found && !input.watched,
  };
}

/** A text of the status bar without its icons. */
export function withoutIcons(text: string): string {
  return text.replace(/\$\([^)]*\)\s*/g, '');
}

function withIcon(text: string, icon: string): string {
  const words = withoutIcons(text);
  return `$(${icon}) ${words === '' ? 'Compilescope' : words}`;
}

function tooltipOf(input: StatusInput, problem: Problem | undefined): string {
  const lines: string[] = ['**Compilescope**'];
  if (problem !== undefined) {
    lines.push(`$(warning) **${escapeMarkdown(problem.title)}** ${escapeMarkdown(problem.detail)}`.trim());
    const ways = buttons(problem).map(({ title, command }) => `[${title}](command:${command})`);
    if (ways.length > 0) lines.push(ways.join(' &nbsp;·&nbsp; '));
  } else if (!input.trusted) {
    lines.push(
      l10n.t('Restricted: recordings can be opened, nothing is run. [Manage Trust](command:workbench.trust.manage)'),
    );
  } else if (input.status !== undefined) {
    lines.push(escapeMarkdown(input.status.tooltip === '' ? findingsText(input.status) : input.status.tooltip));
  }
  if (input.watched) {
    lines.push(
      `${escapeMarkdown(input.watched)} &nbsp;·&nbsp; [${l10n.t('Stop Watching')}](command:compilescope.stopWatching)`,
    );
  }
  if (input.interpreter !== undefined) lines.push(l10n.t('Interpreter: {0}', escapeMarkdown(input.interpreter)));
  if (input.session.name === 'running') {
    const { version, python } = input.session.launch;
    lines.push(l10n.t('Server: Python {0} ({1})', escapeMarkdown(version), escapeMarkdown(python)));
  }
  lines.push('---');
  lines.push(MENU.map(({ title, icon, command }) => `[$(${icon}) ${title}](command:${command})`).join('  \n'));
  return lines.join('\n\n');
}
