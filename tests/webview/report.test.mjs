// The HTML report of a recorded run, opened from its file with every other request refused.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SHOTS = join(ROOT, 'tests/webview/screenshots');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const OWN = join(ROOT, '.venv/bin/python');
const PYTHON = process.env.PYTHON ?? (existsSync(OWN) ? OWN : 'python3');

let browser;
let folder;
let file;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'report-'));
  file = join(folder, 'report.html');
  const words = ['-m', 'compilescope', 'show', '--format', 'html', '-o', file, join(ROOT, 'tests/fixtures/h200')];
  const env = { ...process.env, PYTHONPATH: join(ROOT, 'pyserver') };
  execFileSync(PYTHON, words, { env, stdio: 'pipe' });
  mkdirSync(SHOTS, { recursive: true });
});

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, offline: true, ...options });
  const tab = await context.newPage();
  const asked = [];
  const errors = [];
  tab.on('pageerror', (error) => errors.push(String(error)));
  tab.on('console', (line) => errors.push(line.text()));
  await context.route('**', (route) => {
    const url = route.request().url();
    asked.push(url);
    return url === pathToFileURL(file).href ? route.continue() : route.abort();
  });
  await tab.goto(pathToFileURL(file).href);
  return { context, tab, asked, errors };
}

/** Everything open, but of what repeats itself only the beginning: the checks take long for each element. */
const unfold = (tab) =>
  tab.evaluate(() => {
    for (const one of document.querySelectorAll('section > .block:nth-of-type(n+3)')) one.remove();
    for (const list of document.querySelectorAll('tbody, .ex, svg, .block, .to'))
      for (const one of [...list.children].slice(list.matches('.block') ? 14 : 16)) one.remove();
    for (const one of document.querySelectorAll('details')) one.open = true;
  });

describe.each(['light', 'dark'])('%s', (colorScheme) => {
  test('opens from its file alone, and nothing is out of reach of a reader', async () => {
    const { context, tab, asked, errors } = await open({ colorScheme });
    await tab.screenshot({ path: join(SHOTS, `report-${colorScheme}.png`), fullPage: true });
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBe(1280);
    await unfold(tab);
    await tab.evaluate(AXE);
    const rules = colorScheme === 'light' ? {} : { runOnly: ['color-contrast'] }; // else dark is as light
    const found = await tab.evaluate(async (rules) => {
      const result = await window.axe.run(document, { resultTypes: ['violations'], ...rules });
      return result.violations.map(
        ({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((one) => `${one.target} ${one.failureSummary}`)}`,
      );
    }, rules);
    expect(found).toEqual([]);
    expect(errors).toEqual([]);
    expect(asked).toEqual([pathToFileURL(file).href]);
    await context.close();
  });
});

test('is whole without script, on a small window too', async () => {
  const { context, tab } = await open({ javaScriptEnabled: false, viewport: { width: 700, height: 900 } });
  for (const id of ['findings', 'graphs', 'compiles', 'timeline', 'passes', 'kernels', 'code', 'guards', 'environment'])
    expect(await tab.locator(`section#${id} h2`).isVisible()).toBe(true);
  const fold = tab.locator('#guards details').first();
  await fold.locator('summary').click();
  expect(await fold.locator('.tree').isVisible()).toBe(true);
  await tab.screenshot({ path: join(SHOTS, 'report-narrow.png'), fullPage: true });
  await context.close();
});

test('prints light on A4, whatever the screen likes, and no card is split', async () => {
  const { context, tab } = await open({ colorScheme: 'dark', viewport: { width: 688, height: 1017 } });
  await tab.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const style = await tab.evaluate(() => ({
    page: getComputedStyle(document.body).backgroundColor,
    split: getComputedStyle(document.querySelector('.fd')).breakInside,
    wide: document.documentElement.scrollWidth,
  }));
  expect(style).toEqual({ page: 'rgb(255, 255, 255)', split: 'avoid', wide: 688 });
  await tab.screenshot({ path: join(SHOTS, 'report-print.png'), clip: { x: 0, y: 0, width: 688, height: 1017 } });
  const pdf = await tab.pdf({ preferCSSPageSize: true });
  const boxes = [...pdf.toString('latin1').matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)];
  expect(boxes.length).toBeGreaterThan(1);
  for (const [, width, height] of boxes) expect([Math.round(+width), Math.round(+height)]).toEqual([595, 842]);
  await context.close();
});
