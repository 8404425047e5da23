/** Likely breaks before a run, and torch's logs: chosen, recorded, and read by log and level. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Editor, until } from './editor.ts';

const EXAMPLES = path.join(import.meta.dirname, '..', '..', 'examples');
const FILE = 'sampler.py';
const lines = readFileSync(path.join(EXAMPLES, FILE), 'utf8').split('\n');
const print = lines.findIndex((line) => line.includes('print("limited"')) + 1;

let editor: Editor;

beforeAll(async () => {
  editor = await Editor.open({ workspace: EXAMPLES, settings: { 'compilescope.staticHints': true } });
});

afterAll(async () => {
  await editor.close();
});

/** Waits for the list with this title, marks rows by what is typed, and confirms. */
async function choose(title: string, ...rows: string[]): Promise<void> {
  const list = editor.page.locator('.quick-input-widget:visible');
  await list.filter({ hasText: title }).waitFor({ timeout: 120_000 });
  for (const row of rows) {
    await list.locator('input.input').first().fill(row);
    const item = list.locator('.monaco-list-row', { hasText: row }).first();
    await item.waitFor();
    if ((await item.getAttribute('aria-checked')) !== 'true') await item.click(); // it remembers what was chosen
  }
}

async function hints(): Promise<number[]> {
  return (await editor.squiggles()).filter(({ severity }) => severity === 'hint').map(({ line }) => line);
}

test('likely breaks are hints before anything ran', async () => {
  await editor.openFile(FILE);
  expect(await until(hints, (all) => all.includes(print), 30, 'the hint')).toContain(print);
  expect(await editor.hover(print, 6)).toContain('Likely graph break');
  await editor.screenshot('static_hints_dark');
  await editor.keys('Escape');
});

test('logs are chosen from what this torch has, and the trace records them', async () => {
  await editor.command('Compilescope: Choose Log Windows');
  await choose('to record with each trace', 'graph_breaks');
  await editor.screenshot('log_choice_dark');
  await editor.keys('Enter');
  await choose('Logs to read', 'graph_breaks');
  await editor.screenshot('log_counts_dark');
  await editor.keys('Enter');
  await choose('From which level on');
  await editor.screenshot('log_levels_dark');
  await editor.keys('Enter');
  const window = editor.page.locator('.editor-group-container.active .tab.active', {
    hasText: 'graph_breaks DEBUG.log',
  });
  await window.waitFor({ timeout: 30_000 });
  const shown = await until(
    async () => {
      const text = await editor.page.locator('.editor-group-container.active .view-lines').first().innerText();
      return text.replaceAll('\u00a0', ' ');
    },
    (text) => text.includes('Graph break'),
    30,
    'the records',
  );
  expect(shown).toMatch(/DEBUG/);
  await editor.screenshot('log_window_dark');
});

test('the run takes the place of the hints', async () => {
  await editor.openFile(FILE);
  const marks = await until(
    () => editor.squiggles(),
    (all) => all.some(({ line, severity }) => line === print && severity === 'warning'),
    30,
    'the finding',
  );
  expect(marks.filter(({ line, severity }) => line === print && severity === 'hint')).toEqual([]);
});
