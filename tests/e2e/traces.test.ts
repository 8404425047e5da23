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
