import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { healthy, soon } from './checks.mjs';
import { start, TARGET } from './harness.mjs';

// A two-block model in training with a recompile and four compiler threads, torch 2.13 (written by record_timeline.py).
const FILE = new URL('fixtures/timeline.json.gz', import.meta.url);
const recorded = () => JSON.parse(gunzipSync(readFileSync(FILE)));
const answering = (result) => () => ({ result });

let harness;
let panel;
beforeAll(async () => {
  harness = await start();
});
afterEach(() => panel?.close());
afterAll(() => harness.stop());

async function open(result = recorded(), options = {}) {
  panel = await harness.open('timeline', { answer: answering(result), target: TARGET, ...options });
  return panel;
}

const text = (selector) => panel.tab.locator(selector).innerText();
const focusChart = () => panel.tab.locator('.flame').focus();
const selected = () => panel.sent('select').at(-1)?.selection;

/** Where the canvas has a colour that is not the background's, at the middle of a lane's first row. */
const drawn = () =>
  panel.tab.evaluate(() => {
    const canvas = document.querySelector('.flame canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 60, canvas.width, 1);
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4) colours.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
    return colours.size;
  });

describe.each(['dark', 'light', 'hc'])('in %s', (theme) => {
  test('the whole compile, what lines cost, and one span', async () => {
    await open(recorded(), { theme });
    await panel.tab.waitForSelector('.cost');
    await soon(drawn).toBeGreaterThan(3);
    await panel.shot(`timeline-${theme}`);
    await healthy(panel);
    await focusChart();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowDown']) await panel.tab.keyboard.press(key);
    await panel.tab.locator('#find').fill('_recursive_joint');
    await panel.tab.keyboard.press('Enter');
    await soon(() => text('.details')).toContain('_recursive_joint_graph_passes');
    await panel.shot(`timeline-span-${theme}`);
    await healthy(panel);
    await panel.tab.keyboard.press('Escape');
    await panel.tab.keyboard.press('l');
    await panel.tab.waitForSelector('.span-row.selected');
    await panel.shot(`timeline-list-${theme}`);
    await healthy(panel);
  });
});

test('the column of costs adds up to the time of the compiles', async () => {
  const result = recorded();
  await open(result);
  await panel.tab.waitForSelector('.cost');
  const threads = result.lanes.flatMap(({ kind }, lane) => (kind === 'thread' ? [lane] : []));
  const { lane, parent, time } = result.spans;
  const whole = time.reduce((sum, one, span) => sum + (parent[span] < 0 && threads.includes(lane[span]) ? one : 0), 0);
  const costs = result.costs.reduce((sum, one) => sum + one.time, 0);
  expect(Math.abs(costs - whole)).toBeLessThan(result.costs.length);
  expect(await text('.costs .part span')).toContain(`${(whole / 1e6).toFixed(1)} s`);
});

test('keys zoom, pan, go from mark to mark and to the line', async () => {
  await open();
  await panel.tab.waitForSelector('.cost');
  await focusChart();
  await panel.tab.keyboard.press('w');
  await soon(async () => (await panel.state()).from).not.toBeNull();
  const before = await panel.state();
  await panel.tab.keyboard.press('d');
  await soon(async () => (await panel.state()).from).toBeGreaterThan(before.from);
  await panel.tab.keyboard.press('0');
  await soon(async () => (await panel.state()).from).toBeNull();
  await panel.tab.keyboard.press('m');
  await panel.tab.keyboard.press('m');
  await soon(() => selected()?.compileId).toBe('0/1');
  await soon(() => text('[aria-live]')).toContain('0/1 recompile');
  const line = recorded().places[0].line;
  await panel.tab.locator(`.cost:has(.line-number:text-is("${line}"))`).click();
  await soon(() => selected()?.source?.line).toBe(line - 1);
  await panel.tab.locator('#costs [role=listbox]').focus();
  await panel.tab.keyboard.press('Enter');
  await soon(() => panel.sent('openSource').at(-1)?.place.line).toBe(line - 1);
});

test('a dragged range says what its time went into; another drag and Escape end it', async () => {
  await open();
  await panel.tab.waitForSelector('.cost');
  const box = await panel.tab.locator('.flame').boundingBox();
  await panel.tab.mouse.move(box.x + 300, box.y + 80);
  await panel.tab.mouse.down();
  await panel.tab.mouse.move(box.x + 700, box.y + 90, { steps: 4 });
  await panel.tab.mouse.up();
  await soon(() => text('.foot .legend')).toMatch(/Kernel compile [\d.]+ s/);
  await panel.shot('timeline-range');
  await panel.tab.keyboard.press('Escape');
  await soon(() => text('.foot .legend')).not.toMatch(/Kernel compile [\d.]+ s/);
});

test('export writes what is filtered in, no more and no less', async () => {
  const result = recorded();
  await open(result);
  await panel.tab.waitForSelector('.cost');
  await focusChart();
  await panel.tab.keyboard.press('e');
  await soon(() => panel.sent('saveFile').length).toBe(1);
  const events = (at) => JSON.parse(panel.sent('saveFile')[at].file.content).traceEvents.filter(({ ph }) => ph === 'X');
  expect(events(0)).toHaveLength(result.spans.start.length);
  expect(panel.sent('saveFile')[0].file.name).toMatch(/timeline\.json$/);
  await panel.tab.locator('#find').fill('C++');
  await panel.tab.locator('vscode-button', { hasText: 'Export' }).click();
  await soon(() => panel.sent('saveFile').length).toBe(2);
  expect(new Set(events(1).map(({ cat }) => cat))).toEqual(new Set(['Kernel compile']));
});

test('other panels follow, and are followed', async () => {
  const result = recorded();
  await open(result);
  await panel.tab.waitForSelector('.cost');
  const step = result.steps.find(({ changed }) => changed);
  const compileId = result.texts[result.spans.compile[step.span]];
  const selection = { ...TARGET, compileId, pass: step.order };
  await panel.send({ type: 'selected', selection });
  await soon(() => text('.details')).toContain(result.texts[result.spans.label[step.span]]);
  expect(panel.sent('select')).toEqual([]);
  await panel.tab.locator('vscode-button', { hasText: 'Show passes' }).click();
  await soon(() => panel.sent('showPanel').at(-1)).toMatchObject({ panel: 'passes', target: { pass: step.order } });
});

test('the place is kept over a reload', async () => {
  await open();
  await panel.tab.waitForSelector('.cost');
  await panel.tab.locator('#find').fill('scheduler.codegen');
  await panel.tab.keyboard.press('Enter');
  await soon(() => text('.details')).toContain('Scheduler.codegen');
  await panel.tab.reload();
  await soon(() => text('.details')).toContain('Scheduler.codegen');
  expect(await panel.tab.locator('#find').inputValue()).toBe('scheduler.codegen');
});

test('with a screen reader the spans are a list at first', async () => {
  await open(recorded(), { heard: true });
  await soon(() => panel.tab.$('#spans [role=tree] [role=treeitem]')).not.toBeNull();
});

const empty = () => {
  const result = recorded();
  for (const key of Object.keys(result.spans)) result.spans[key] = [];
  return { ...result, lanes: [], marks: [], costs: [], steps: [], open: [] };
};

test('a bar gives the chart or the costs more room, by keys and by mouse, and stays over a reload', async () => {
  await open();
  const { tab } = panel;
  const height = (selector) => tab.locator(selector).evaluate((one) => one.offsetHeight);
  const bar = tab.locator('[role=separator]');
  const set = async () => Number(await bar.getAttribute('aria-valuenow'));
  const chart = await height('.flame');
  await tab.waitForSelector('.cost');
  await bar.focus();
  await tab.keyboard.press('ArrowUp');
  await tab.waitForSelector('.is-sized');
  const before = await height('.bottom');
  expect(before).toBe(await set());
  await tab.keyboard.press('ArrowUp');
  await soon(() => height('.bottom')).toBe(before + 16);
  expect(await height('.flame')).not.toBe(chart);
  const flame = await height('.flame');
  const { x, y } = await bar.boundingBox();
  await tab.mouse.move(x + 200, y + 2);
  await tab.mouse.down();
  await tab.mouse.move(x + 200, y + 82, { steps: 4 });
  await tab.mouse.up();
  await soon(() => height('.flame')).toBe(flame + 80);
  expect(await set()).toBe(before + 16 - 80);
  await tab.reload();
  await soon(() => height('.bottom')).toBe(before + 16 - 80);
});

test('empty, recording, failed and no recording say what to do next', async () => {
  await open(empty());
  await soon(() => text('main')).toContain('Nothing compiled in this run');
  await panel.tab.locator('vscode-button', { hasText: 'Compile and trace' }).click();
  await soon(() => panel.sent('action').at(-1)?.action).toBe('trace');
  await healthy(panel);
  await panel.close();
  await open({ ...empty(), running: true });
  await soon(() => text('main')).toContain('Nothing compiled yet');
  await panel.close();
  const problem = { code: 'gone', title: 'The recording is gone.', detail: '/x', actions: [] };
  panel = await harness.open('timeline', { answer: () => ({ problem }), target: TARGET });
  await soon(() => text('main')).toContain('The recording is gone.');
  await panel.close();
  panel = await harness.open('timeline', { answer: () => ({ problem }), target: null });
  await soon(() => text('main')).toContain('No recording yet');
});

test('a killed run ends in a torn edge and a mark; narrow, the parts are below each other', async () => {
  const result = recorded();
  const last = result.time;
  result.spans.time[0] = last - result.spans.start[0];
  result.marks.push({ time: last, kind: 'end', text: 'process ended', process: 1, compileId: null, place: null });
  await open({ ...result, open: [0] }, { width: 760, height: 900 });
  await panel.tab.waitForSelector('.cost');
  await panel.shot('timeline-narrow');
  await panel.tab.setViewportSize({ width: 510, height: 900 });
  const legend = await panel.tab.locator('.foot .legend > span').evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
  for (const { right, bottom } of legend) {
    expect(right).toBeLessThanOrEqual(510);
    expect(bottom).toBeLessThanOrEqual(900);
  }
  await healthy(panel);
});

/** Many spans with names that nobody should trust (tests/bench/timeline_panel.mjs has 200,000). */
function hostile(count) {
  const result = recorded();
  const many = (value) => Array.from({ length: count }, (_, span) => value(span));
  result.texts = ['<img src=x onerror=alert(1)>', '<script>alert(1)</script>', 'x'.repeat(100_000), '0/0'];
  result.places = [{ file: '/a/<b>.py', line: 1, text: `<i>${'y'.repeat(5000)}` }];
  result.spans = {
    lane: many((span) => span % 3),
    row: many(() => 0),
    parent: many(() => -1),
    start: many((span) => Math.floor(span / 3) * 10),
    time: many((span) => (span % 1000 === 0 ? 9 : span % 9)),
    own: many(() => 1),
    stage: many((span) => span % 8),
    name: many((span) => span % 3),
    label: many((span) => span % 3),
    compile: many(() => 3),
    graph: many(() => 2),
    kernel: many(() => 1),
    place: many(() => 0),
  };
  result.time = Math.ceil(count / 3) * 10;
  result.lanes = [0, 1, 2].map((n) => ({ name: `<b>${n}</b>`, kind: 'thread', process: n, pid: null, rank: n, rows: 1 }));
  result.marks = [{ time: 5, kind: 'recompile', text: '<img src=x onerror=alert(1)>', process: 0, compileId: '0/0', place: 0 }];
  result.costs = [{ compileId: '0/0', place: 0, what: '', stage: 0, time: 5 }];
  return { ...result, steps: [], open: [count - 1] };
}

test('many hostile spans are shown as text and do no harm', async () => {
  await open(hostile(4000));
  await panel.tab.waitForSelector('.cost');
  await focusChart();
  await panel.tab.keyboard.press('ArrowDown');
  await soon(() => text('.details')).toContain('<img src=x onerror=alert(1)>');
  for (const key of ['w', 'w', 'w', 'd', 's']) await panel.tab.keyboard.press(key);
  await panel.tab.keyboard.press('l');
  await panel.tab.waitForSelector('.span-row');
  expect(await panel.tab.locator('.span-row').count()).toBeLessThan(100);
  await healthy(panel);
});
