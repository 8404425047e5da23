/** Fixes in the real editor: tried, made, taken back, refused, made anyway, explained, given up. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Editor, until } from './editor.ts';

/** A program that prints in a compiled function; what it computes follows from `input`. */
const program = (name: string, input: string): string => `import time

import torch


@torch.compile
def ${name}(x):
    y = x.sin()
    print("${name}")
    return y.cos()


${name}(${input})
time.sleep(float(open("pause.txt").read()))
`;
const STEADY = program('steady', 'torch.arange(4.0)');
/** No two runs of it compute the same. */
const DRIFTING = program('drifting', 'torch.full((4,), time.time() % 1000)');
/** What is printed in a compiled function is heard by the program, and its length is computed with. */
const HEARING = `import contextlib
import io

import torch


@torch.compile
def hearing(x):
    y = x.sin()
    print("hearing")
    return y.cos()


with contextlib.redirect_stdout(io.StringIO()) as heard:
    hearing(torch.arange(4.0))
hearing(torch.full((4,), float(len(heard.getvalue()))))
`;
const GUARDED = 'if not torch.compiler.is_compiling():';
const printIn = (text: string): number => text.split('\n').findIndex((line) => line.includes('print(')) + 1;

let editor: Editor;
let workspace: string;

beforeAll(async () => {
  workspace = mkdtempSync(path.join(tmpdir(), 'compilescope fixes '));
  writeFileSync(path.join(workspace, 'steady.py'), STEADY);
  writeFileSync(path.join(workspace, 'drifting.py'), DRIFTING);
  writeFileSync(path.join(workspace, 'hearing.py'), HEARING);
  writeFileSync(path.join(workspace, 'pause.txt'), '0');
  editor = await Editor.open({ workspace, settings: { 'files.autoSave': 'off' } });
  await editor.openFile('steady.py');
  await editor.trace();
});

afterAll(async () => {
  await editor.close();
  rmSync(workspace, { recursive: true, force: true });
});

/** The quick fixes of the print, opened by keyboard; picks the first whose title starts so. */
async function pickFix(title: RegExp, of = STEADY): Promise<void> {
  await editor.command('Notifications: Clear All Notifications');
  const rows = editor.page.locator('.action-widget .monaco-list-row');
  for (let attempt = 1; ; attempt++) {
    await editor.goTo(printIn(of), 6);
    await editor.keys('Control+.'); // which goes elsewhere while something else takes the focus
    try {
      await rows.filter({ hasText: title }).first().waitFor({ timeout: 7_000 });
      break;
    } catch (error) {
      if (attempt === 3) throw error;
      await editor.keys('Escape');
    }
  }
  await rows.filter({ hasText: title }).first().click();
}

/** The file alone in the editor, as it is on disk: a second try of a test finds what the first one found. */
async function reopened(name: string): Promise<void> {
  await editor.command('Notifications: Clear All Notifications');
  await editor.openFile(name);
  await editor.command('File: Revert File');
  await editor.command('View: Close All Editors');
  await editor.openFile(name);
}

/** The message that starts so, with its buttons. */
async function message(text: RegExp, seconds = 120): Promise<string> {
  const all = await until(
    () => editor.notifications(),
    (shown) => shown.some((one) => text.test(one)),
    seconds,
    `the message ${String(text)}`,
  );
  return all.find((one) => text.test(one)) ?? '';
}

async function press(button: string): Promise<void> {
  await editor.page.locator('.notifications-toasts .monaco-button', { hasText: button }).first().click();
}

const shownText = async (): Promise<string> => {
  const text = await editor.page.locator('.editor-group-container.active .view-lines').last().innerText();
  return text.replaceAll('\u00a0', ' ');
};

test('Cancel gives a trial up, and the file stays', async () => {
  await editor.command('Notifications: Clear All Notifications');
  writeFileSync(path.join(editor.folder, 'pause.txt'), '60');
  await pickFix(/^Fix and verify/);
  await editor.page.locator('.notifications-toasts', { hasText: 'Verifying a fix' }).waitFor({ timeout: 30_000 });
  await editor.page.waitForTimeout(1_000);
  await press('Cancel');
  await until(
    () => editor.notifications(),
    (all) => !all.some((one) => one.includes('Verifying a fix')),
    20,
    'the trial ends',
  );
  expect(readFileSync(path.join(editor.folder, 'steady.py'), 'utf8')).toBe(STEADY);
  writeFileSync(path.join(editor.folder, 'pause.txt'), '0');
});

test('Explain opens the page about a finding', async () => {
  await pickFix(/^Explain/);
  // torch's own page opens in the browser: VS Code asks before it does.
  const asked = editor.page.locator('.monaco-dialog-box', { hasText: 'gb0059' });
  await asked.waitFor({ timeout: 15_000 });
  await editor.keys('Escape');
});

test('a proven fix is made, and Undo takes it back', async () => {
  await reopened('steady.py');
  await pickFix(/^Fix and verify/);
  expect(await message(/gone/)).toMatch(/outputs equal/);
  await editor.screenshot('fix_made_dark');
  expect(await shownText()).toContain(GUARDED);
  await press('Undo');
  await until(shownText, (text) => !text.includes(GUARDED), 15, 'the change is taken back');
});

test('Show Diff shows what a fix changed', async () => {
  await reopened('steady.py');
  await editor.trace();
  await pickFix(/^Fix and verify/);
  await message(/gone/);
  await press('Show Diff');
  const diff = editor.page.locator('.monaco-diff-editor');
  await diff.waitFor({ timeout: 20_000 });
  const changed = diff.locator('.modified .view-lines');
  await until(
    () => changed.innerText(),
    (text) => text.includes('is_compiling'),
    20,
    'the change is drawn in the diff',
  );
  await editor.screenshot('fix_diff_dark');
});

test('a fix that can not be proven is not made, unless it is asked for', async () => {
  await reopened('drifting.py');
  await editor.trace();
  await pickFix(/^Fix and verify/);
  expect(await message(/not reproducible/)).toContain('drifting');
  expect(await shownText()).not.toContain(GUARDED);
  await editor.screenshot('fix_unproven_dark');
  await press('Apply Anyway');
  await until(shownText, (text) => text.includes(GUARDED), 15, 'the change is made');
});

test('Show Values has the values that a fix would change', async () => {
  await reopened('hearing.py');
  await editor.trace();
  await pickFix(/^Fix and verify/, HEARING);
  // Five runs of the program: eager, with the change, eager again, eager with the change, compiled without it.
  expect(await message(/outputs differ/, 300)).toMatch(/Not applied: the break would go, but .*call 2 of 2/);
  expect(readFileSync(path.join(editor.folder, 'hearing.py'), 'utf8')).toBe(HEARING);
  await editor.screenshot('fix_different_dark');
  await press('Show Values');
  const values = await until(shownText, (text) => text.includes('in eager'), 30, 'the values');
  const row = values.split('\n').find((line) => line.trim().startsWith('[0]'));
  // cos(sin(8)) where "hearing\n" was heard; cos(sin(0)) where nothing was.
  expect(row).toContain(Math.cos(Math.sin('hearing\n'.length)).toFixed(4));
  expect(row).toMatch(/ 1\.0$/);
  await editor.screenshot('fix_values_dark');
}, 480_000);
