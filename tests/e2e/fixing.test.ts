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
const GUARDED = 'if not torch.compiler.is_compiling():';
const PRINT = { line: STEADY.split('\n').findIndex((line) => line.includes('print(')) + 1, column: 6 };

let editor: Editor;
let workspace: string;

beforeAll(async () => {
  workspace = mkdtempSync(path.join(tmpdir(), 'compilescope fixes '));
  writeFileSync(path.join(workspace, 'steady.py'), STEADY);
  writeFileSync(path.join(workspace, 'drifting.py'), DRIFTING);
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
async function pickFix(title: RegExp): Promise<void> {
  await editor.command('Notifications: Clear All Notifications');
  const rows = editor.page.locator('.action-widget .monaco-list-row');
  for (let attempt = 1; ; attempt++) {
    await editor.goTo(PRINT.line, PRINT.column);
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

/** The message that starts so, with its buttons. */
async function message(text: RegExp): Promise<string> {
  const all = await until(
    () => editor.notifications(),
    (shown) => shown.some((one) => text.test(one)),
    120,
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
  await pickFix(/^Fix and verify/);
  expect(await message(/gone/)).toMatch(/outputs equal/);
  await editor.screenshot('fix_made_dark');
  expect(await shownText()).toContain(GUARDED);
  await press('Undo');
  await until(shownText, (text) => !text.includes(GUARDED), 15, 'the change is taken back');
});

test('Show Diff shows what a fix changed', async () => {
  await editor.trace();
  await pickFix(/^Fix and verify/);
  await message(/gone/);
  await press('Show Diff');
  const diff = editor.page.locator('.monaco-diff-editor');
  await diff.waitFor({ timeout: 20_000 });
  expect(await diff.locator('.modified .view-lines').innerText()).toContain('is_compiling');
  await editor.screenshot('fix_diff_dark');
});

test('a fix that can not be proven is not made, unless it is asked for', async () => {
  await editor.openFile('drifting.py');
  await editor.trace();
  await pickFix(/^Fix and verify/);
  expect(await message(/not reproducible/)).toContain('drifting');
  expect(await shownText()).not.toContain(GUARDED);
  await editor.screenshot('fix_unproven_dark');
  await press('Apply Anyway');
  await until(shownText, (text) => text.includes(GUARDED), 15, 'the change is made');
});
