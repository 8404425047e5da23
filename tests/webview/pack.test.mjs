// The page of a packed recording: readable and reachable in every theme, with the styles that it allows itself.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packPage, problemPage } from '../../extension/src/core/pack-page.ts';
import { healthy } from './checks.mjs';
import { THEMES, themeCss } from './themes.mjs';

const SHOTS = fileURLToPath(new URL('screenshots', import.meta.url));
const FRAME = { title: 'train.compilescope', nonce: 'bm9uY2U=', language: 'en' };
const RUN = { recording: '/runs/train.compilescope', title: 'train.py --fast', status: 'finished', torch: '2.13.0' };
const FINDING = { title: 'this `if` depends on tensor data', file: '/<path-1>/train.py', line: 4, character: 7, costS: 1.5 };
const FUNCTION = { name: 'Block.forward', graphs: 3, breaks: 1, recompiles: 2, seconds: 2.25 };
const DETAIL = {
  run: { ...RUN, depth: 'full', wallS: 12.5, graphs: 3, breaks: 1, recompiles: 2, errors: 1 },
  findings: [FINDING, { ...FINDING, file: null, title: 'torch was slow to compile', costS: 0 }],
  functions: [FUNCTION, { ...FUNCTION, name: 'a'.repeat(300) }],
  notes: ['left out on request: source text, paths with the names of users and machines'],
  damage: null,
  ranks: [],
};
const BROKEN = {
  code: 'bad-recording',
  title: "Can't open /runs/train.compilescope.",
  detail: 'It is damaged or cut short, or no file of `compilescope pack`.',
  actions: ['compilescope.restart', 'compilescope.showLogs'],
};

let browser;

beforeAll(async () => {
  mkdirSync(SHOTS, { recursive: true });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
});

afterAll(() => browser?.close());

/** A page as VS Code shows it: its variables on the root element, the theme's kind as the body's class. */
async function opened(html, theme, width = 900) {
  const tab = await browser.newPage({ viewport: { width, height: 700 }, colorScheme: THEMES[theme].scheme });
  const errors = [];
  tab.on('pageerror', (error) => errors.push(String(error)));
  tab.on('console', (line) => errors.push(line.text()));
  await tab.setContent(html);
  await tab.evaluate(
    ([kind, css]) => {
      const sheet = new CSSStyleSheet(); // the page's policy allows no other style element
      sheet.replaceSync(css);
      document.adoptedStyleSheets = [sheet];
      document.body.className = kind;
    },
    [THEMES[theme].kind, themeCss(theme)],
  );
  return { tab, errors, violations: () => [] };
}

test.each(['dark', 'light', 'hc'])('%s: is readable, and every link can be reached by Tab', async (theme) => {
  const page = await opened(packPage(FRAME, DETAIL), theme);
  await healthy(page);
  await page.tab.screenshot({ path: join(SHOTS, `pack-${theme}.png`) });
  const links = await page.tab.locator('a').allInnerTexts();
  const reached = [];
  for (let count = 0; count < links.length; count++) {
    await page.tab.keyboard.press('Tab');
    reached.push(await page.tab.evaluate(() => document.activeElement.innerText));
    const outline = await page.tab.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    expect(outline).toBe('solid');
  }
  expect(reached).toEqual(links);
  expect(links).toContain('Show in Runs');
  await page.tab.close();
});

test('a file that does not open says so', async () => {
  const broken = await opened(problemPage(FRAME, BROKEN), 'light');
  await healthy(broken);
  await broken.tab.screenshot({ path: join(SHOTS, 'pack-broken-light.png') });
  await broken.tab.close();
});

test('nothing is cut off in a narrow editor', async () => {
  const { tab } = await opened(packPage(FRAME, DETAIL), 'dark', 360);
  expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await tab.close();
});
