/** The page that a packed recording opens with: what it holds, and the way to the views. No script, only links. */
import * as l10n from '@vscode/l10n';
import type { FindingSummary, FunctionSummary, Problem, RunDetailResult } from '../protocol.gen';
import { count } from './nouns';
import { buttons } from './problem';
import { seconds } from './text';

/** The commands that the page links to. */
export const PAGE_COMMANDS: readonly string[] = [
  'compilescope.showCompile',
  'compilescope.showGraph',
  'compilescope.showPasses',
  'compilescope.showCode',
  'compilescope.showTimeline',
  'compilescope.showRecompiles',
  'compilescope.openReport',
  'compilescope.openSource',
];

export interface Frame {
  title: string;
  nonce: string;
  language: string;
}

const MOST = 30;
const STYLE = `
body { padding: 16px 24px; max-width: 960px; line-height: 1.5; color: var(--vscode-foreground); background: var(--vscode-editor-background); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); }
a { color: var(--vscode-textLink-foreground); }
li a { text-decoration: none; }
li a:hover { text-decoration: underline; }
h1 { font-size: 1.5em; font-weight: 600; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1.1em; font-weight: 600; margin: 24px 0 8px; }
p { margin: 4px 0; }
.dim, dt, th { color: var(--vscode-descriptionForeground); }
.note { border: 1px solid var(--vscode-contrastBorder, var(--vscode-widget-border, currentColor)); padding: 8px 12px; margin: 12px 0; border-radius: 4px; }
nav ul { display: flex; flex-wrap: wrap; gap: 8px; list-style: none; margin: 16px 0; padding: 0; }
nav a { display: inline-block; padding: 4px 12px; border-radius: 3px; text-decoration: none; color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); border: 1px solid var(--vscode-button-border, var(--vscode-contrastBorder, transparent)); }
nav a.first { color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
nav a:hover { filter: brightness(1.1); }
a:focus-visible { outline: 2px solid var(--vscode-focusBorder); outline-offset: 2px; }
dl { display: flex; flex-wrap: wrap; gap: 4px 24px; margin: 12px 0; }
dl div { display: flex; gap: 6px; }
dd { margin: 0; font-weight: 600; }
ol, ul.plain { padding-left: 24px; margin: 0; }
li { margin: 4px 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
th { font-weight: 400; text-align: left; }
th, td { padding: 2px 16px 2px 0; vertical-align: top; }
td:first-child { overflow-wrap: anywhere; min-width: 4em; }
.number { text-align: right; white-space: nowrap; }
@media (max-width: 500px) { body { padding: 12px; } th, td { padding-right: 6px; } }
`;

/** The page of a recording that was opened. */
export function packPage(frame: Frame, detail: RunDetailResult): string {
  const { run, findings, functions, damage } = detail;
  const notes = [...detail.notes, ...(damage === null ? [] : [damage.title])];
  const open = { recording: run.recording };
  const ways: readonly (readonly [string, string])[] = [
    ['compilescope.showCompile', l10n.t('Show in Runs')],
    ['compilescope.openReport', l10n.t('Open Report')],
    ['compilescope.showGraph', l10n.t('Graph')],
    ['compilescope.showPasses', l10n.t('Pass Trace')],
    ['compilescope.showCode', l10n.t('Generated Code')],
    ['compilescope.showTimeline', l10n.t('Timeline')],
    ['compilescope.showRecompiles', l10n.t('Recompiles')],
  ];
  const links = ways.map(
    ([command, title], index) => `<li>${link(command, open, title, index === 0 ? 'first' : '')}</li>`,
  );
  return page(frame, [
    `<p class="dim">${text(l10n.t('A packed recording. Nothing is run: it is only read.'))}</p>`,
    `<nav aria-label="${text(l10n.t('Views of this recording'))}"><ul>${links.join('')}</ul></nav>`,
    facts(detail, frame.title),
    ...(notes.length === 0 ? [] : [`<div class="note">${notes.map((one) => `<p>${text(one)}</p>`).join('')}</div>`]),
    findingsList(findings),
    functionsTable(functions),
  ]);
}

/** The page of a file that can't be opened: why, and the ways out. */
export function problemPage(frame: Frame, problem: Problem): string {
  const ways = buttons(problem).map(({ command, title }) => `<li>${link(command, undefined, title, 'first')}</li>`);
  return page(frame, [
    `<div class="note" role="alert"><p><strong>${text(problem.title)}</strong></p><p>${text(problem.detail)}</p></div>`,
    ways.length === 0 ? '' : `<nav aria-label="${text(l10n.t('Ways out'))}"><ul>${ways.join('')}</ul></nav>`,
  ]);
}

/** The page while the file is read. */
export function waitingPage(frame: Frame): string {
  return page(frame, [`<p role="status">${text(l10n.t('Opening…'))}</p>`]);
}

function facts({ run }: RunDetailResult, file: string): string {
  const rows: readonly (readonly [string, string | null])[] = [
    [l10n.t('Run'), run.title === file ? null : run.title],
    ['torch', run.torch],
    [l10n.t('Depth'), run.depth],
    [l10n.t('Took'), run.wallS === null ? null : seconds(run.wallS)],
    [
      l10n.t('Found'),
      [
        run.errors > 0 ? count(run.errors, 'error') : '',
        count(run.breaks, 'break'),
        count(run.recompiles, 'recompile'),
        count(run.graphs, 'graph'),
      ]
        .filter((part) => part !== '')
        .join(' · '),
    ],
  ];
  const shown = rows.flatMap(([name, value]) =>
    value === null ? [] : [`<div><dt>${text(name)}</dt><dd>${text(value)}</dd></div>`],
  );
  return `<dl>${shown.join('')}</dl>`;
}

function findingsList(findings: readonly FindingSummary[]): string {
  const head = `<h2>${text(l10n.t('Findings'))}</h2>`;
  if (findings.length === 0) return `${head}<p>${text(l10n.t('None that this recording tells of.'))}</p>`;
  const rows = findings.slice(0, MOST).map((one) => {
    const place = one.file === null ? '' : `${one.file}:${one.line + 1}`;
    const source = { file: one.file, line: one.line, column: one.character, endLine: -1, endColumn: -1 };
    const title = one.file === null ? text(one.title) : link('compilescope.openSource', source, one.title, '');
    const about = [place, one.costS >= 0.005 ? seconds(one.costS) : ''].filter((part) => part !== '');
    return `<li>${title}${about.length === 0 ? '' : `<br><span class="dim">${text(about.join(' · '))}</span>`}</li>`;
  });
  return `${head}<ol>${rows.join('')}</ol>${more(findings.length)}`;
}

function functionsTable(functions: readonly FunctionSummary[]): string {
  if (functions.length === 0) return '';
  const head = [l10n.t('Function'), l10n.t('Graphs'), l10n.t('Breaks'), l10n.t('Recompiles'), l10n.t('Compiling')]
    .map((name, index) => `<th scope="col"${index === 0 ? '' : ' class="number"'}>${text(name)}</th>`)
    .join('');
  const rows = functions.slice(0, MOST).map((one) => {
    const numbers = [String(one.graphs), String(one.breaks), String(one.recompiles), seconds(one.seconds)];
    return `<tr><td>${text(one.name)}</td>${numbers.map((number) => `<td class="number">${number}</td>`).join('')}</tr>`;
  });
  const table = `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
  return `<h2>${text(l10n.t('Compiled functions'))}</h2>${table}${more(functions.length)}`;
}

function more(all: number): string {
  return all <= MOST ? '' : `<p class="dim">${text(l10n.t('… and {0} more', all - MOST))}</p>`;
}

function link(command: string, argument: unknown, title: string, style: string): string {
  const given = argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify([argument]))}`;
  return `<a href="${text(`command:${command}${given}`)}"${style === '' ? '' : ` class="${style}"`}>${text(title)}</a>`;
}

function page({ title, nonce, language }: Frame, parts: readonly string[]): string {
  return `<!DOCTYPE html>
<html lang="${text(language)}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${text(nonce)}'">
  <title>${text(title)}</title>
  <style nonce="${text(nonce)}">${STYLE}</style>
</head>
<body><main><h1>${text(title)}</h1>${parts.join('\n')}</main></body>
</html>
`;
}

function text(value: string): string {
  return value
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}
