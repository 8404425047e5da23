// The code panel where the cursor is in another compile, and what VS Code's context menu is told.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { soon } from './checks.mjs';
import { load, recorded } from './code_recorded.mjs';
import { start, TARGET } from './harness.mjs';

let run;
let panel;
const cpu = load('cpu');
const gpu = load('gpu');

beforeAll(async () => {
  run = await start();
});
afterAll(() => run?.stop());
afterEach(() => panel?.close());

async function open(answers, options = {}) {
  panel = await run.open('code', { answer: recorded(answers), target: TARGET, ...options });
  await panel.tab.waitForSelector('.r', { timeout: 15_000 });
}

const text = (selector) => panel.tab.$eval(selector, (one) => one.textContent.replace(/\s+/g, ' ').trim());
const asked = () => panel.sent('request').filter(({ method }) => method === 'code');

describe('follow cursor', () => {
  const file = gpu[0].code.files[0].path;
  const shown = () => panel.tab.$eval('vscode-single-select.compile', (one) => one.value);
  /** A line that only this compile has something of. */
  const lineOf = (id) => gpu.find(({ code }) => code.compileId === id).code.expressions[0].line;
  const cursor = (line) => panel.send({ type: 'cursor', at: { file, line } });

  test('a line of another compile shows that one, says so, and leads back', async () => {
    await open(gpu);
    await cursor(lineOf('3/0'));
    await soon(shown).toBe('3/0');
    const number = lineOf('3/0') + 1;
    expect(await text('.foot')).toContain(`Line ${number} is in compile 3/0, inference graph; before: 0/0.`);
    expect(await text('.r.source.cur')).toMatch(new RegExp(`^${number}`));
    await soon(() => panel.tab.$$eval('#col-source .x.hot', (all) => all.length)).toBeGreaterThan(0);
    expect(panel.sent('select').at(-1).selection).toMatchObject({ compileId: '3/0' });
    await cursor(lineOf('0/0'));
    await soon(shown).toBe('0/0');
  });

  test('a line of no compile changes nothing, and is looked for once', async () => {
    await open(gpu);
    const before = asked().length;
    await cursor(0);
    await soon(() => asked().length).toBe(before + 2);
    await cursor(lineOf('0/0'));
    await cursor(0);
    await panel.tab.waitForTimeout(400);
    expect(asked().length).toBe(before + 2);
    expect(await shown()).toBe('0/0');
  });

  test('without it the cursor moves nothing', async () => {
    await open(gpu);
    await panel.tab.keyboard.press('f');
    const before = asked().length;
    await cursor(lineOf('3/0'));
    await panel.tab.waitForTimeout(400);
    expect(asked().length).toBe(before);
    expect(await shown()).toBe('0/0');
  });
});

describe('context menu', () => {
  /** What VS Code would find on its way up from where the menu was asked for. */
  const given = (column) => panel.tab.$eval(`#col-${column}`, (one) => JSON.parse(one.dataset.vscodeContext ?? 'null'));
  const forward = cpu[0].code;

  test('of a node: its text, its place in the source, its graph', async () => {
    await open(cpu);
    await panel.send({ type: 'selected', selection: { ...TARGET, compileId: '0/0', node: 'exp' } });
    await panel.tab.click('#col-graph .node[title^="exp = "]', { button: 'right' });
    const node = forward.nodes.find(({ name }) => name === 'exp');
    const { line, column } = forward.expressions[node.expressions[0]];
    expect(await given('graph')).toMatchObject({
      preventDefaultContextMenuItems: true,
      compilescopeText: true,
      compilescopeSource: true,
      compilescopeNode: true,
      compilescopeCode: false,
      text: `%exp = ${node.target}${node.args}`,
      recording: TARGET.recording,
      compileId: '0/0',
      node: 'exp',
      file: forward.files[0].path,
      line,
      column,
    });
    expect(panel.sent('select').at(-1).selection.node).toBe('exp');
  });

  test('by keyboard it is about the selected row, and opens there', async () => {
    await open(cpu);
    await panel.tab.click('#col-code .code.g');
    await panel.tab.focus('#col-code');
    await panel.tab.evaluate(() => {
      window.menus = [];
      document.addEventListener('contextmenu', (event) => {
        event.preventDefault();
        window.menus.push({ x: event.clientX, y: event.clientY });
      });
    });
    await panel.tab.keyboard.press('Shift+F10');
    await soon(() => panel.tab.evaluate(() => window.menus.length)).toBe(1);
    const [{ x, y }] = await panel.tab.evaluate(() => window.menus);
    const id = await panel.tab.$eval('#col-code', (one) => one.getAttribute('aria-activedescendant'));
    const box = await (await panel.tab.$(`#${id}`)).boundingBox();
    expect(Math.abs(y - (box.y + box.height))).toBeLessThan(2);
    expect(x).toBeGreaterThanOrEqual(box.x);
    const row = Number((await text(`#${id} .ln`)).trim()) - 1;
    expect(await given('code')).toMatchObject({ compilescopeCode: true, kind: 'cpp', graph: '0/0/forward', row });
  });

  test('text that is selected is what is copied', async () => {
    await open(cpu);
    await panel.tab.evaluate(() => window.getSelection().selectAllChildren(document.querySelector('#col-code .code .tx')));
    const selected = await panel.tab.evaluate(() => window.getSelection().toString());
    await panel.tab.click('#col-code .code .tx', { button: 'right' });
    expect((await given('code')).text).toBe(selected);
  });
});
