/** Logs that another job writes with TORCH_TRACE: watched from the start, two ranks, and a break that comes later. */

import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Editor, until } from './editor.ts';

const SCRIPT = 'def step(x):\n    y = x * 2 + 1 if x.numel() else x\n    print("step")\n    return y\n';
const PRINT = 3;
const UNSUPPORTED = `Failed to trace builtin operator
  Explanation: Dynamo does not know how to trace builtin operator \`print\`
  Developer debug context: builtin print

 For more details about this graph break, please visit: https://meta-pytorch.github.io/x/gb/gb0059.html`;

/** One record in the bytes that torch writes. */
function record(name: string, fields: unknown, common: object, payload?: string): string {
  const checksum = payload === undefined ? {} : { has_payload: createHash('md5').update(payload).digest('hex') };
  const envelope = JSON.stringify({ [name]: fields, ...common, ...checksum });
  const body = payload === undefined ? '' : `\n${payload.replaceAll(/^/gm, '\t')}`;
  return `V1129 13:17:29.123456 4711 torch/_dynamo/utils.py:12] ${envelope}${body}\n`;
}

/** One compile of `step` as a rank tells of it. */
function compiled(rank: number, number: number, graph: string, metrics: object): string {
  const common = { rank, frame_id: 0, frame_compile_id: number, attempt: 0 };
  const own = { co_name: 'step', co_filename: script, co_firstlineno: 1, entire_frame_compile_time_s: 0.5 };
  return [
    record('dynamo_start', { stack: [{ line: 1, name: 'step', filename: 0 }] }, common),
    graph && record('dynamo_output_graph', { sizes: {} }, common, `def forward(x):\n  y = ${graph}`),
    record('compilation_metrics', { ...own, ...metrics }, common),
  ].join('');
}

let editor: Editor;
let workspace: string;
let script: string;
let traces: string;

const logOf = (rank: number): string => path.join(traces, `dedicated_log_torch_trace_rank_${String(rank)}_ab.log`);

beforeAll(async () => {
  workspace = mkdtempSync(path.join(tmpdir(), 'compilescope traces '));
  writeFileSync(path.join(workspace, 'train.py'), SCRIPT);
  editor = await Editor.open({ workspace, settings: { 'compilescope.watchFolders': ['traces'] } });
  script = path.join(editor.folder, 'train.py');
  traces = path.join(editor.folder, 'traces');
});

afterAll(async () => {
  await editor.close();
  rmSync(workspace, { recursive: true, force: true });
});

async function rows(): Promise<string[]> {
  const all = await editor.page.locator('.pane-body .monaco-list-row').allInnerTexts();
  return all.map((row) => row.replace(/\s+/g, ' ').trim());
}

test('a folder that is watched is followed once there are logs', async () => {
  await editor.openFile('train.py');
  await editor.command('Compilescope: Focus on Runs View');
  const view = editor.page.locator('.pane-body', { hasText: 'traces' }).first();
  await until(
    () => view.innerText(),
    (text) => text.includes('waiting'),
    60,
    'what is watched',
  );
  mkdirSync(traces);
  for (const rank of [0, 1]) {
    const names = record('str', [script, 0], { rank });
    writeFileSync(logOf(rank), names + compiled(rank, 0, rank ? 'cos' : 'sin', { has_guarded_code: true }));
  }
  await until(rows, (all) => all.some((row) => row.includes('traces')), 30, 'the job');
  await until(
    () => view.innerText(),
    (text) => text.includes('2 ranks'),
    30,
    'how far it is',
  );
  expect(await view.innerText(), 'the file system tells of changes').not.toContain('now and then');
});

test('where the ranks differ is below the run', async () => {
  await editor.keys('Home', 'ArrowRight');
  await until(rows, (all) => all.some((row) => row.startsWith('Ranks')), 30, 'the ranks');
  const ranks = editor.page.locator('.pane-body .monaco-list-row', { hasText: /^Ranks/ });
  await ranks.locator('.monaco-tl-twistie').click();
  const all = await until(rows, (seen) => seen.some((row) => /0\/0: .*graph/.test(row)), 15, 'the differences');
  expect(all.some((row) => row.startsWith('Ranks'))).toBe(true);
  await editor.screenshot('ranks_dark');
  await ranks.click();
  const page = await editor.panel('h2', 60_000);
  const said = await page.locator('body').innerText();
  expect(said).toContain('Ranks of traces');
  expect(said).toMatch(/rank 0\s+y = sin/);
  await editor.screenshot('ranks_page_dark');
  await editor.command('View: Close All Editors');
  await editor.openFile('train.py');
});

test('a break that is written while the folder is watched is marked', async () => {
  const failed = { fail_type: 'Unsupported', fail_reason: UNSUPPORTED, pytorch_version: '2.14.1' };
  const place = { fail_user_frame_filename: script, fail_user_frame_lineno: PRINT };
  appendFileSync(logOf(1), compiled(1, 1, '', { ...failed, ...place, has_guarded_code: false }));
  const squiggles = await until(
    () => editor.squiggles(),
    (all) => all.length > 0,
    30,
    'the squiggle',
  );
  expect(squiggles).toContainEqual(expect.objectContaining({ line: PRINT, severity: 'error' }));
  await editor.screenshot('watched_dark');
});

/** Opens the search, types into it, and waits for a row with `row`; rows as text. */
async function searched(text: string, row: string): Promise<string[]> {
  await editor.command('Compilescope: Search Recording');
  const list = editor.page.locator('.quick-input-widget:visible');
  await list.locator('.quick-input-title', { hasText: /^Search / }).waitFor({ timeout: 15_000 });
  await editor.page.keyboard.type(text);
  const hits = list.locator('.monaco-list-row');
  const all = await until(
    () => hits.allInnerTexts(),
    (found) => found.some((one) => one.includes(row)),
    30,
    `hits with ${text}`,
  );
  return all.map((one) => one.replace(/\s+/g, ' ').trim());
}

test('a search finds what the ranks wrote, and a hit opens where it is', async () => {
  const hits = await searched('print', 'builtin');
  expect(hits[0], 'findings come first').toContain('graph-break-error');
  await editor.screenshot('search_dark');
  await editor.keys('Enter');
  await until(
    () => editor.statusBar(),
    (bar) => bar.includes(`Ln ${String(PRINT)}, Col`),
    15,
    'the line of the finding',
  );
  await searched('text: = cos', 'dynamo_output_graph');
  await editor.keys('Enter');
  await until(
    () => editor.statusBar(),
    (bar) => bar.includes('(5 selected)'),
    15,
    'the match in the event',
  );
  const lines = await editor.page.locator('.editor-group-container.active .view-lines').innerText();
  expect(lines.replaceAll('\u00a0', ' ')).toMatch(/dynamo_output_graph[^]*rank 1[^]*def forward\(x\):\n {2}y = cos/);
  await searched('regex: (', 'no regular expression');
  await editor.keys('Escape');
});

/** Opens a row of the views in the side bar that starts like this, once it is there; one that is open stays so. */
async function unfolded(start: RegExp): Promise<void> {
  const row = editor.page.locator('.pane-body .monaco-list-row', { hasText: start }).first();
  await row.waitFor({ timeout: 30_000 });
  await until(
    async () => {
      if ((await row.getAttribute('aria-expanded')) === 'true') return true;
      await row.locator('.monaco-tl-twistie').click(); // rows are used again for others as the list grows
      await editor.page.waitForTimeout(500);
      return (await row.getAttribute('aria-expanded')) === 'true';
    },
    (isOpen) => isOpen,
    30,
    `the row ${String(start)} is open`,
  );
}

test('what was exported is told of, and every text of a compile opens', async () => {
  const program = `ExportedProgram:\n  # File: ${script}:2 in step, code: y\n  y = torch.ops.shop.no_fake.default(x)`;
  appendFileSync(
    logOf(0),
    [
      record('export', {}, { rank: 0 }, 'start!'),
      record('missing_fake_kernel', { op: 'shop.no_fake.default' }, { rank: 0 }),
      record('exported_program', {}, { rank: 0 }, program),
    ].join(''),
  );
  await editor.command('Compilescope: Focus on Runs View');
  await unfolded(/^Exports/);
  await unfolded(/^1\. export.*: exported, 1 issue/);
  await until(rows, (all) => all.some((row) => /^`shop::no_fake`.*line 2$/.test(row)), 15, 'the issue');
  await editor.screenshot('exports_dark');
  await unfolded(/^step/);
  await unfolded(/^0\/0(?!:)/); // the compile, not what the ranks differ in
  await unfolded(/^Recorded texts/);
  await editor.command('View: Close All Editors');
  const text = editor.page.locator('.pane-body .monaco-list-row', { hasText: /^dynamo_output_graph/ }).first();
  await until(
    async () => {
      await text.click({ timeout: 15_000 }); // a row that is drawn anew meanwhile is only selected
      await editor.page.waitForTimeout(500);
      return (await editor.page.locator('.editor-group-container.active .view-lines').allInnerTexts()).join('\n');
    },
    (lines) => /rank 0[^]*y = sin|rank 1[^]*y = cos/.test(lines.replaceAll('\u00a0', ' ')), // the first that is drawn
    20,
    'the text',
  );
  await editor.screenshot('recorded_dark');
});

/** A dialog for a file in the browser: an input of VS Code's, with a button. */
async function acceptFile(name: string): Promise<string> {
  const input = editor.page.locator('.quick-input-widget:visible input.input').first();
  const proposed = await until(
    () => input.inputValue(),
    (value) => value.endsWith('.compilescope'),
    15,
    'the proposed name',
  );
  await input.fill(path.join(editor.folder, name));
  await editor.page.waitForTimeout(300);
  await editor.keys('Enter');
  return path.basename(proposed);
}

/** Presses twice on a file of the explorer, as with a mouse. */
async function doubleClick(name: string): Promise<void> {
  await editor.command('File: Focus on Files Explorer');
  const row = editor.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name });
  await row.dblclick({ timeout: 15_000 });
}

test('a recording is packed without its paths, and opens by a double click', async () => {
  await editor.command('Compilescope: Pack Recording');
  const list = editor.page.locator('.quick-input-widget:visible');
  await list.locator('.monaco-list-row', { hasText: 'Paths, users and machines' }).click();
  await editor.screenshot('pack_choice_dark');
  await editor.keys('Enter');
  expect(await acceptFile('handed on.compilescope')).toMatch(/^traces\.compilescope$/);
  const said = await until(
    () => editor.notifications(),
    (all) => all.some((one) => one.includes('handed on.compilescope holds the recording')),
    30,
    'what was packed',
  );
  expect(said.join(' ')).toContain('without:');
  await editor.command('Notifications: Clear All Notifications');
  await editor.command('View: Close All Editors');
  await doubleClick('handed on.compilescope');
  const page = await editor.panel('main h1');
  const text = await until(
    () => page.locator('main').innerText(),
    (shown) => shown.includes('Findings'),
    30,
    'the page',
  );
  expect(text).toContain('left out on request: paths');
  expect(text).toMatch(/\/<path-\d+>\/train\.py:3/);
  await until(rows, (all) => all.some((row) => row.includes('handed on')), 15, 'the run');
  await editor.screenshot('pack_page_dark');
  await editor.command('Preferences: Toggle between Light/Dark Themes');
  await editor.page.waitForTimeout(1_000);
  await editor.screenshot('pack_page_light');
  await editor.command('Preferences: Toggle between Light/Dark Themes');
  await page.locator('a', { hasText: 'Recompiles' }).click();
  await editor.panel('#grid, .empty');
  await editor.command('View: Close All Editors');
  writeFileSync(path.join(editor.folder, 'broken.compilescope'), 'no pack');
  await doubleClick('broken.compilescope');
  const broken = await editor.panel('[role=alert]');
  expect(await broken.locator('main').innerText()).toContain('damaged or cut short');
  await editor.screenshot('pack_broken_dark');
  await editor.command('View: Close All Editors');
  await editor.openFile('train.py');
});

/** The runs, top to bottom, of the folder with the traces. */
const runsOfTraces = async (): Promise<string[]> => (await rows()).filter((row) => /^traces.*\d+:\d\d/.test(row));

test('a job that begins in the watched folder is a run of its own, and the view follows it', async () => {
  await editor.command('Compilescope: Focus on Runs View');
  const names = record('str', [script, 0], { rank: 0 });
  const failed = { fail_type: 'Unsupported', fail_reason: UNSUPPORTED, has_guarded_code: false };
  const place = { fail_user_frame_filename: script, fail_user_frame_lineno: PRINT };
  const job = [names, compiled(0, 0, 'tan', { has_guarded_code: true }), compiled(0, 1, '', { ...failed, ...place })];
  writeFileSync(
    path.join(traces, 'dedicated_log_torch_trace_rank_0_later.log'),
    job.join('').replaceAll('1129 13:17', '1129 15:40'),
  );
  const runs = await until(runsOfTraces, (all) => all.length === 2, 30, 'both jobs');
  expect(runs[0]).toContain('15:40');
  expect(runs[1]).toContain('13:17');
  await editor.screenshot('jobs_watched_dark');
});

/** Folds all runs: only rows that are in sight are there. */
async function foldRuns(): Promise<void> {
  await editor.command('Compilescope: Focus on Runs View');
  await editor.page.locator('.pane-header [aria-label="Collapse All"]').first().click();
}

/** Opens a folder by the command, as far as VS Code's own dialog. */
async function openFolder(name: string): Promise<void> {
  const list = editor.page.locator('.quick-input-widget:visible');
  await list.locator('.monaco-list-row', { hasText: 'a TORCH_TRACE folder' }).click();
  const input = list.locator('input.input').first();
  await until(
    () => input.inputValue(),
    (value) => value.includes(path.sep),
    15,
    'the dialog',
  );
  const folder = path.join(editor.folder, name) + path.sep;
  await until(
    async () => {
      const value = await input.inputValue().catch(() => '');
      if (!value.includes(path.sep)) return true;
      if (value !== folder) await input.fill(folder);
      await editor.page.waitForTimeout(800); // the dialog lists the folder
      await list
        .locator('.monaco-button', { hasText: /^Open Recording|^OK/ })
        .first()
        .click();
      await editor.page.waitForTimeout(700);
      return false;
    },
    (isGone) => isGone,
    20,
    'the dialog is gone',
  );
}

test('of a folder with several jobs some are opened, and two are compared', async () => {
  mkdirSync(path.join(editor.folder, 'three'));
  for (const [hour, graph] of [
    ['08', 'sin'],
    ['09', 'cos'],
    ['10', 'tan'],
  ] as const) {
    const names = record('str', [script, 0], { rank: 0 });
    const job = names + compiled(0, 0, graph, { has_guarded_code: true });
    const damage = graph === 'tan' ? `this is no record\n${record('later', {}, { rank: 0 })}` : '';
    const log = path.join(editor.folder, 'three', `dedicated_log_torch_trace_rank_0_${graph}.log`);
    writeFileSync(log, (job + damage).replaceAll('1129 13:', `1129 ${hour}:`));
  }
  await foldRuns();
  await editor.command('Compilescope: Open Recording');
  await openFolder('three');
  const jobs = editor.page.locator('.quick-input-widget:visible .monaco-list-row');
  const listed = await until(
    () => jobs.allInnerTexts(),
    (all) => all.some((one) => one.includes('Job 3')),
    15,
    'the jobs',
  );
  expect(listed.map((one) => one.replace(/\s+/g, ' ').trim())).toEqual([
    expect.stringMatching(/^Job 3 ?11-29 10:17:29 to 11-29 10:17:29, rank 0, 1 log, /),
    expect.stringMatching(/^Job 2/),
    expect.stringMatching(/^Job 1/),
  ]);
  await editor.screenshot('jobs_choice_dark');
  await jobs.filter({ hasText: 'Job 1' }).click(); // the newest is chosen already
  await editor.keys('Enter');
  const isThree = (row: string): boolean => /^three.*\d+:\d\d/.test(row);
  await until(rows, (all) => all.some(isThree), 30, 'the runs');
  await foldRuns();
  await until(rows, (all) => all.filter(isThree).length === 2, 30, 'the runs');
  const first = editor.page.locator('.pane-body .monaco-list-row', { hasText: /^three.*08:17/ }).first();
  const another = editor.page.locator('.quick-input-widget:visible .monaco-list-row', {
    hasText: 'Another recording',
  });
  const compare = editor.page.locator('.monaco-menu .action-item', { hasText: /^Compare Runs/ }).first();
  for (let tries = 0; tries < 5 && !(await another.isVisible()); tries++) {
    await editor.keys('Escape');
    await first.click({ button: 'right' });
    await compare.hover();
    await editor.page.waitForTimeout(500); // a menu takes no click in its first moments
    await compare.click();
    await another.waitFor({ timeout: 5_000 }).catch(() => undefined);
  }
  await another.click();
  await openFolder('three');
  await jobs.filter({ hasText: 'Job 2' }).click();
  const page = await editor.panel('h1, h2', 60_000);
  const said = await page.locator('body').innerText();
  expect(said).toContain('sin');
  expect(said).toContain('cos');
  await editor.screenshot('jobs_compared_dark');
  await editor.command('View: Close All Editors');
  await editor.openFile('train.py');
});

test('a damaged place opens the log there, with the events beside it', async () => {
  await foldRuns();
  await unfolded(/^three.*10:17/);
  await unfolded(/^1 place could not be read/);
  const row = editor.page.locator('.pane-body .monaco-list-row', { hasText: /^byte \d+/ }).first();
  await row.click();
  const active = editor.page.locator('.editor-group-container.active');
  const shown = await until(
    async () => (await active.locator('.view-lines').allInnerTexts()).join('\n').replaceAll('\u00a0', ' '),
    (lines) => /^> +\d+ {2}this is no record$/m.test(lines),
    15,
    'the place',
  );
  expect(shown).toContain('not the start of a record');
  await editor.page.waitForTimeout(1_000);
  await editor.screenshot('damage_dark');
  await editor.command('Preferences: Toggle between Light/Dark Themes');
  await editor.page.waitForTimeout(1_000);
  await editor.screenshot('damage_light');
  await editor.command('Preferences: Toggle between Light/Dark Themes');
  const link = active.locator('.detected-link', { hasText: 'compilation_metrics' }).first();
  await link.click({ modifiers: ['Control'] });
  await until(
    async () => (await active.locator('.view-lines').allInnerTexts()).join('\n').replaceAll('\u00a0', ' '),
    (lines) => lines.includes('compilation_metrics 0/0') && lines.includes('co_filename'),
    15,
    'the event before',
  );
  await editor.command('View: Close All Editors');
  await editor.openFile('train.py');
});

test('a folder that goes is said, and what was found stays', async () => {
  rmSync(traces, { recursive: true });
  const said = await until(
    () => editor.notifications(),
    (all) => all.some((one) => one.includes('is gone')),
    30,
    'the message',
  );
  expect(said.some((one) => one.includes('what was found stays on show'))).toBe(true);
  expect(await editor.squiggles()).not.toEqual([]);
  await editor.command('Compilescope: Stop Watching');
  const view = editor.page.locator('.pane-body').first();
  await until(
    () => view.innerText(),
    (text) => !text.includes('any more'),
    15,
    'nothing is watched',
  );
});
