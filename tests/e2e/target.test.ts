/** A function or module that nothing compiles, traced by itself from its code lens and from the palette. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Editor, until } from './editor.ts';

const EXAMPLES = path.join(import.meta.dirname, '..', '..', 'examples');
const FILE = 'uncompiled.py';
const lines = readFileSync(path.join(EXAMPLES, FILE), 'utf8').split('\n');
const lineOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1;
const branch = lines.findIndex((line) => line.includes('weights.max()')) + 1;

let editor: Editor;

beforeAll(async () => {
  editor = await Editor.open({ workspace: EXAMPLES });
});

afterAll(async () => {
  await editor.close();
});

/** What the input box proposes, once it is there. */
async function proposed(): Promise<string> {
  const input = editor.page.locator('.quick-input-widget:visible input.input').first();
  await input.waitFor({ state: 'visible', timeout: 15_000 });
  return await input.inputValue();
}

async function lensesWith(pattern: RegExp): Promise<string[]> {
  return await until(
    () => editor.codeLenses(),
    (all) => all.some((lens) => pattern.test(lens)),
    120,
    String(pattern),
  );
}

async function clickLens(title: string): Promise<void> {
  await editor.page
    .locator('.editor-group-container.active .codelens-decoration a', { hasText: title })
    .first()
    .click();
}

test('what nothing compiles has a lens', async () => {
  await editor.openFile(FILE);
  expect(await lensesWith(/Trace this/)).toEqual(['Trace this', 'Trace this']);
  await editor.screenshot('uncompiled_dark');
});

test('the lens asks for the inputs with a proposal, and the findings are on the lines of the module', async () => {
  await clickLens('Trace this');
  expect(await proposed()).toBe('torch.randn(4, 32)');
  await editor.page.waitForTimeout(300);
  await editor.screenshot('target_inputs_dark');
  await editor.keys('Enter');
  const lenses = await lensesWith(/^2 graphs/);
  await editor.ended();
  expect(lenses).toHaveLength(2);
  expect(lenses).toContain('Trace this');
  expect(lenses.find((lens) => lens !== 'Trace this')).toMatch(
    /^2 graphs · 1 break · .* \| Trace again \| Graph \| Passes \| Change inputs…$/,
  );
  const squiggles = await until(
    () => editor.squiggles(),
    (all) => all.some((one) => one.severity === 'warning'),
    30,
    'the squiggle',
  );
  expect(squiggles.find((one) => one.severity === 'warning')?.line).toBe(branch);
  await editor.screenshot('target_traced_dark');
});

test('inputs that do not fit are a message with a way to others', async () => {
  await clickLens('Change inputs…');
  expect(await proposed()).toBe('torch.randn(4, 32)');
  await editor.page.locator('.quick-input-widget:visible input.input').first().fill('torch.randn(4, 32), 1');
  await editor.keys('Enter');
  const told = await until(
    () => editor.notifications(),
    (all) => all.some((text) => text.includes("don't fit")),
    120,
    'the message',
  );
  await editor.ended();
  expect(told.join()).toContain('AttentionPool.forward(x)');
  expect(told.join()).toContain('Change Inputs…');
  await editor.screenshot('target_refused_dark');
  expect((await editor.codeLenses()).some((lens) => lens.startsWith('2 graphs'))).toBe(true);
  await editor.page.locator('.notifications-toasts .monaco-button', { hasText: 'Change Inputs…' }).click();
  expect(await proposed()).toBe('torch.randn(4, 32), 1');
  await editor.keys('Escape');
  await editor.command('Notifications: Clear All Notifications');
});

test('from the palette, by keyboard, at the cursor', async () => {
  await editor.goTo(lineOf('return ((1 - torch.exp'));
  await editor.command('Compilescope: Trace Function or Module at Cursor');
  await until(proposed, (value) => value === 'torch.randn(4, 8), torch.randint(0, 8, (4,))', 15, 'the proposal');
  await editor.keys('Enter');
  const lenses = await until(
    () => editor.codeLenses(),
    (all) => all.length === 2 && all.every((lens) => /^[12] graphs? ·.*Change inputs…/.test(lens)),
    120,
    'both traced',
  );
  expect(lenses.some((lens) => lens.startsWith('1 graph ·'))).toBe(true);
  await editor.ended();
});
