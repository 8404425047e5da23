/** What a user meets when things go wrong: the message says what happened and offers the way out, nothing is left over. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Editor, until } from './editor.ts';

const EXAMPLES = path.join(import.meta.dirname, '..', '..', 'examples');

let editor: Editor | undefined;
let scratch: string;

beforeEach(() => {
  scratch = mkdtempSync(path.join(tmpdir(), 'compilescope-scripts-'));
});

afterEach(async () => {
  await editor?.close();
  editor = undefined;
  rmSync(scratch, { recursive: true, force: true });
});

async function notification(pattern: RegExp, seconds = 60): Promise<string> {
  const open = editor;
  if (!open) throw new Error('no editor');
  const all = await until(
    () => open.notifications(),
    (seen) => seen.some((text) => pattern.test(text)),
    seconds,
    String(pattern),
  );
  return all.find((text) => pattern.test(text)) ?? '';
}

/** Processes that this editor's extension started: server, worker, standby, reaper. */
function ours(root: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(root) && /compilescope[/\\](lsp|tracer|runner)/.test(line));
}

test('in a workspace that is not trusted nothing is run', async () => {
  editor = await Editor.open({ workspace: EXAMPLES, trusted: false });
  await editor.page.waitForTimeout(2_000);
  const dialog = editor.page.locator('.monaco-dialog-box');
  if ((await dialog.count()) > 0) {
    await dialog.getByRole('button', { name: /don't trust/i }).click();
  }
  await editor.openFile('sampler.py');
  await editor.command('Compilescope: Compile and Trace');
  const text = await notification(/not trusted/i);
  expect(text).toMatch(/nothing was run/i);
  expect(text).toMatch(/Manage Trust/);
  await editor.screenshot('untrusted_dark');
  expect(await editor.squiggles()).toEqual([]);
});

test('an interpreter without torch: what is missing, and the buttons that mend it', async () => {
  editor = await Editor.open({ workspace: EXAMPLES, settings: { 'compilescope.interpreter': '/usr/bin/python3' } });
  await editor.openFile('sampler.py');
  await editor.command('Compilescope: Compile and Trace');
  const text = await notification(/has no torch/);
  expect(text).toMatch(/Select Interpreter/);
  await editor.screenshot('no_torch_dark');
});

test('a script that crashes keeps its findings, and the next run works', async () => {
  const code = [
    'import os, signal, torch',
    '',
    '@torch.compile(backend="eager")',
    'def f(x):',
    '    if x.sum() > 0:',
    '        x = x + 1',
    '    return x',
    '',
    'f(torch.ones(3))',
    'os.kill(os.getpid(), signal.SIGSEGV)',
    '',
  ];
  writeFileSync(path.join(scratch, 'crash.py'), code.join('\n'));
  editor = await Editor.open({ workspace: scratch });
  const open = editor;
  await editor.openFile('crash.py');
  await editor.command('Compilescope: Compile and Trace');
  const text = await notification(/SIGSEGV/, 120);
  expect(text).toMatch(/crash\.py crashed/);
  const squiggles = await until(
    () => open.squiggles(),
    (all) => all.length > 0,
    15,
    'the finding is kept',
  );
  expect(squiggles).toContainEqual({ line: 5, start: 7, end: 18, severity: 'warning' });
  await editor.screenshot('crash_dark');

  writeFileSync(path.join(editor.folder, 'crash.py'), code.slice(0, -2).join('\n'));
  await editor.page.waitForTimeout(1_000);
  await editor.trace();
  await until(
    () => open.statusBar(),
    (bar) => bar.includes('1 break'),
    120,
    'the next run',
  );
});

test('a script that never ends can be cancelled, and killing the editor leaves no process', async () => {
  writeFileSync(path.join(scratch, 'forever.py'), 'import time\nwhile True:\n    time.sleep(1)\n');
  editor = await Editor.open({ workspace: scratch });
  const open = editor;
  await editor.openFile('forever.py');
  await editor.command('Compilescope: Compile and Trace');
  await until(
    () => open.statusBar(),
    (bar) => bar.includes('forever.py'),
    60,
    'it runs',
  );
  await editor.command('Compilescope: Cancel');
  await until(
    () => open.statusBar(),
    (bar) => !bar.includes('running forever.py'),
    20,
    'it is cancelled',
  );

  await editor.command('Compilescope: Compile and Trace');
  await until(
    () => open.statusBar(),
    (bar) => bar.includes('running forever.py'),
    60,
    'it runs again',
  );
  expect(ours(editor.root).length).toBeGreaterThanOrEqual(2);
  editor.kill();
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect(ours(editor.root)).toEqual([]);
});
