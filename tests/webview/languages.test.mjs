import { afterAll, beforeAll, expect, test } from 'vitest';
import { healthy } from './checks.mjs';
import { start, TARGET } from './harness.mjs';
import { load, recorded } from './recorded.mjs';

let run;

beforeAll(async () => {
  run = await start();
});
afterAll(() => run?.stop());

test('with texts in the page, a panel is in their language: what it draws, counts and names, and its keys', async () => {
  const panel = await run.open('passes', { answer: recorded(load()), target: TARGET, language: 'zh-cn' });
  await panel.tab.waitForSelector('.row.pass', { timeout: 20_000 });
  const said = (selector) => panel.tab.$eval(selector, (one) => one.textContent.replace(/\s+/g, ' ').trim());
  expect(await said('.summary')).toMatch(/\d+ 个 pass .*\d+ 个更改了图/);
  expect(await panel.tab.getAttribute('#filter', 'placeholder')).toBe('筛选 pass');
  expect(await said('.foot')).toContain('所有按键');
  await panel.tab.keyboard.press('?');
  await panel.tab.waitForSelector('.overlay-box');
  expect(await said('.overlay-box')).toContain('移动');
  await panel.tab.keyboard.press('Escape');
  await healthy(panel);
  await panel.close();
});
