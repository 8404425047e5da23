import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { healthy, soon } from './checks.mjs';
import { load, recorded } from './code_recorded.mjs';
import { start, TARGET } from './harness.mjs';

let run;
let panel;
const cpu = load('cpu');
const gpu = load('gpu');
const forward = cpu[0].code;
const file = forward.files[0].path;
const source = forward.files[0].lines;

beforeAll(async () => {
  run = await start();
});
afterAll(() => run?.stop());
afterEach(() => panel?.close());

async function open(answers = cpu, options = {}) {
  panel = await run.open('code', { answer: recorded(answers), target: TARGET, ...options });
  await panel.tab.waitForSelector('.r, .page h2', { timeout: 15_000 });
  return panel;
}

const text = (selector) =>
  panel.tab.$eval(selector, (one) => one.textContent.replace(/\s+/g, ' ').trim()).catch(() => null);
const press = async (...keys) => {
  for (const key of keys) await panel.tab.keyboard.press(key);
};
/** Texts of the rows of a column that are marked. */
const hot = (column) =>
  panel.tab.$$eval(`#col-${column} .r.hot, #col-${column} .x.hot`, (found) =>
    found.map((one) => one.textContent.replace(/\s+/g, ' ').trim()),
  );
const rowTexts = (selector) =>
  panel.tab.$$eval(selector, (all) => all.map((one) => one.textContent.replace(/\s+/g, '')));
const shownKernel = () => panel.tab.$eval('vscode-single-select.kernel', (one) => one.title.replace(/.*: /, ''));
const inView = (selector) =>
  panel.tab.$eval(selector, (one) => {
    const box = one.getBoundingClientRect();
    const column = one.closest('.col').getBoundingClientRect();
    return box.top >= column.top - 1 && box.bottom <= column.bottom + 1;
  });
const line = (words) => source.findIndex((one) => one.includes(words));
const cursor = (words) => panel.send({ type: 'cursor', at: { file, line: line(words) } });
/** What is selected, as it was last told to the host. */
const told = () => panel.sent('select').at(-1)?.selection;

describe('together', () => {
  test('the cursor on each line of forward leads to its nodes and to its kernel', async () => {
    await open();
    const own = forward.expressions.filter(({ text }) => text.includes('(') && text.length > 3);
    for (const words of ['scores = (q @ k', 'mixed = scores.softmax', 'return self.proj', 'x = self.tokens(ids)', 'logits = self.head']) {
      await cursor(words);
      await soon(async () => (await hot('source')).some((one) => words.includes(one.slice(0, 8)) || source[line(words)].includes(one.slice(0, 8)))).toBe(true);
      const groups = forward.expressions.flatMap((one, i) => (one.line === line(words) ? [i] : []));
      const nodes = forward.nodes.filter((one) => groups.includes(one.expressions[0])).map(({ name }) => `%${name}`);
      const kernels = forward.texts[0].kernels.filter((one) => one.expressions.some((group) => groups.includes(group)));
      await soon(async () => nodes.some((node) => node === '') || (await hot('graph')).length).not.toBe(0);
      for (const marked of await hot('graph')) expect(nodes.some((node) => marked.includes(node)), `${words}: ${marked}`).toBe(true);
      expect(kernels.map(({ name }) => name)).toContain(await shownKernel());
      await soon(async () => (await hot('code')).length, words).toBeGreaterThan(0);
    }
    expect(own.length).toBeGreaterThan(8);
  });

  test('a click on a node shows its kernel, marks its source and tells the host', async () => {
    await open();
    await cursor('mixed = scores.softmax');
    await panel.tab.click('#col-graph .node[title^="exp = "]');
    await soon(told).toMatchObject({ node: 'exp', source: { file, line: line('scores.softmax(-1)') } });
    expect(told().kernel).toContain('softmax');
    expect(await hot('source')).toEqual(['scores.softmax(-1)']);
    await soon(async () => (await hot('code')).length).toBeGreaterThan(0);
  });

  test('a click on a line of a kernel brings its expression into view, and Enter goes there', async () => {
    await open();
    await panel.tab.click('#col-code .code.hot, #col-code .code.g');
    await soon(() => inView('#col-source .x.hot')).toBe(true);
    await soon(() => inView('#col-graph .r.hot')).toBe(true);
    const { source: place } = told();
    await press('Enter');
    expect(panel.sent('openSource').at(-1)).toMatchObject({ place, preserveFocus: false });
  });

  test('scrolling one column keeps the others at what belongs there', async () => {
    await open();
    await panel.tab.hover('#col-graph');
    await panel.tab.mouse.wheel(0, 1500);
    await soon(() => panel.tab.$eval('#col-graph', (one) => one.scrollTop)).toBeGreaterThan(1000);
    const middle = (column) =>
      panel.tab.$$eval(`#col-${column} .r.g`, (rows) => {
        const box = rows[0].closest('.col').getBoundingClientRect();
        const near = (one) => Math.abs(one.getBoundingClientRect().top - (box.top + box.height / 2));
        return rows.reduce((a, b) => (near(b) < near(a) ? b : a)).querySelector('.tag').textContent;
      });
    const group = await middle('graph');
    const visible = await panel.tab.$$eval('#col-code .r.g .tag', (rows) => rows.map((one) => one.textContent));
    expect(visible).toContain(group);
  });

  test('the hovered group has ribbons that reach both neighbours', async () => {
    await open();
    await cursor('mixed = scores.softmax');
    await panel.tab.hover('#col-source .x.hot');
    await soon(() => panel.tab.$$eval('.ribbon.hot', (all) => new Set(all.map((one) => one.closest('.gutter'))).size)).toBe(2);
  });

  test('another panel that selects a node is followed without taking the focus', async () => {
    await open();
    const { recording } = TARGET;
    await panel.send({ type: 'selected', selection: { ...TARGET, recording, compileId: '0/0', node: 'erf' } });
    await soon(() => hot('source')).toEqual(['self.mlp(', ')']);
    expect(await shownKernel()).toContain('gelu');
    expect(panel.sent('select').filter(({ selection }) => selection.node === 'erf')).toEqual([]);
  });
});

describe('code', () => {
  test('the backward graph has code of its own, and the same letters', async () => {
    await open();
    const letters = () => text('.legend');
    expect(await letters()).toMatch(/^A self.tokens/);
    await panel.tab.click('.seg >> text=backward');
    await soon(() => text('.graph-part .hd')).toContain(`${cpu[1].code.nodes.length} nodes`);
    expect(cpu[1].code.expressions).toEqual(forward.expressions);
  });

  test('tabs without content say why, the stages of a Triton kernel open', async () => {
    await open();
    expect(await panel.tab.$eval('.tab:has-text("Triton")', (one) => one.title)).toContain('--triton-preview');
    await panel.close();
    await open(gpu);
    expect(await panel.tab.getAttribute('.tab:has-text("C++")', 'aria-disabled')).toBe('true');
    const own = gpu[0].stages[gpu[0].code.texts[0].kernels[0].name].stages;
    for (const [i, key] of ['3', '4', '5', '6'].entries()) {
      await press(key);
      const text = own[i].text.replace(/\s+/g, '');
      const isShown = (all) => all.length > 0 && all.every((one) => text.includes(one));
      await soon(async () => isShown(await rowTexts('#col-code .code.g .tx')), key).toBe(true);
    }
  });

  test('everything but the shown kernel is folded, and unfolds', async () => {
    await open();
    const folds = () => panel.tab.$$eval('#col-code .fold[aria-expanded=false]', (all) => all.length);
    await panel.tab.$eval('#col-code', (one) => (one.scrollTop = 0));
    await soon(() => text('#col-code')).toContain('imports and set-up');
    const before = await folds();
    await panel.tab.click('#col-code .fold >> nth=0');
    await soon(() => text('#col-code')).toContain('from ctypes import');
    expect(await folds()).toBeLessThan(before + 1);
  });

  test('keys: kernels, groups, wrap, follow, find', async () => {
    await open();
    const [first, second] = forward.texts[0].kernels;
    expect(await shownKernel()).toBe(first.name);
    await press(']');
    await soon(shownKernel).toBe(second.name);
    await press('[');
    await soon(shownKernel).toBe(first.name);
    await panel.tab.focus('#col-source');
    const before = told().source;
    await press('ArrowDown');
    await soon(() => told().source).not.toEqual(before);
    await press('Alt+z');
    await soon(() => panel.tab.$('#col-code.nowrap')).not.toBeNull();
    await press('f');
    await soon(() => panel.tab.getAttribute('.tools .tb:has-text("Follow")', 'aria-pressed')).toBe('false');
    await press('/');
    await panel.tab.keyboard.type('rsqrt');
    await press('Enter');
    await soon(() => text('#col-code .found')).toContain('rsqrt');
  });

  test('the state comes back after a reload', async () => {
    await open();
    await press(']', ']', ']', ']');
    await soon(shownKernel).toContain('softmax');
    await panel.tab.reload();
    await panel.tab.waitForSelector('.r');
    await soon(shownKernel).toContain('softmax');
  });

  test('tens of thousands of lines stay few in the page', async () => {
    const long = structuredClone(cpu.slice(0, 1));
    const code = long[0].code.texts[0];
    code.text += '\nx = 1'.repeat(30_000);
    code.bands = [...code.bands, ...Array(30_000).fill(-1)];
    code.folds = code.folds.filter(({ end }) => end < code.text.split('\n').length - 30_100);
    await open(long);
    await panel.tab.$eval('#col-code', (one) => (one.scrollTop = one.scrollHeight));
    await soon(() => text('#col-code .rows > :last-child')).toContain('x = 1');
    expect((await panel.tab.$$('#col-code .r')).length).toBeLessThan(120);
  });
});

describe('states', () => {
  const nothing = (more) => [{ code: { ...forward, texts: [], nodes: [], graphs: [], graph: null, expressions: [], files: [], ...more }, stages: {} }];

  test('a run without code says why and how to get it', async () => {
    await open(nothing({ note: 'No generated code: this run stopped at capture.', cause: 'capture' }));
    expect(await text('.page')).toBe('No generated code This run stopped at capture. Trace at full depth');
    await panel.tab.click('.page-ways vscode-button');
    expect(panel.sent('action').at(-1).action).toBe('traceFull');
  });

  test('a function that runs in eager says so, and another can be chosen', async () => {
    const note = 'This function runs in eager, so no code was generated.';
    const compiles = [...forward.compiles, { id: '7/0', title: '7/0  eager' }];
    const eager = nothing({ compileId: '7/0', compiles, note, cause: 'eager' });
    await open([...eager, ...cpu], { target: { ...TARGET, compileId: '7/0' } });
    expect(await text('.page')).toBe(`No generated code ${note}`);
    expect(await panel.tab.$eval('vscode-single-select.compile', (one) => one.value)).toBe('7/0');
  });

  test('many graphs are in a picker, and the bar has room', async () => {
    const graphs = ['forward', 'backward'].flatMap((one) => [one, ...[1, 2, 3, 4, 5, 6].map((n) => `${one}#${n}`)]);
    const buckets = cpu.slice(0, 1).map((one) => ({
      ...one,
      code: { ...one.code, graph: '0/0/forward', graphs: graphs.map((name) => `0/0/${name}`) },
    }));
    await open(buckets, { width: 1024, height: 700 });
    expect(await panel.tab.$$eval('vscode-single-select.graph vscode-option', (all) => all.map((one) => one.textContent.trim()).slice(0, 3))).toEqual(['forward', 'forward 2', 'forward 3']);
    expect(await panel.tab.$eval('.tools', (bar) => bar.scrollWidth <= bar.clientWidth)).toBe(true);
    await panel.shot('code-many-graphs');
    await panel.tab.$eval('vscode-single-select.graph', (one) => {
      one.value = '0/0/backward#1';
      one.dispatchEvent(new Event('change'));
    });
    await soon(() => panel.sent('request').at(-1).params.graph).toBe('0/0/backward#1');
  });

  test('code without a graph says so', async () => {
    const note = 'The graph is not recorded, because the code came out of a cache or the log is TORCH_TRACE’s alone.';
    const bare = structuredClone(cpu.slice(0, 1));
    Object.assign(bare[0].code, { nodes: [], expressions: [], files: [], note });
    bare[0].code.texts[0].kernels = [];
    bare[0].code.texts[0].bands = bare[0].code.texts[0].bands.map(() => -1);
    await open(bare);
    expect(await text('.graph-part')).toContain(note);
    expect(await text('#col-code')).toContain('imports and set-up');
    await healthy(panel);
  });

  test('a hostile recording is text', async () => {
    const evil = '<img src=x onerror="document.body.dataset.hit=1"><script>document.body.dataset.hit=1</script>';
    const bad = structuredClone(cpu.slice(0, 1));
    const { code } = bad[0];
    for (const one of code.nodes) Object.assign(one, { name: evil, target: evil, shape: evil.repeat(3) });
    for (const one of code.expressions) one.text = evil;
    for (const one of code.texts[0].kernels) Object.assign(one, { hints: [evil], fused: evil, call: -5, nodes: [...one.nodes, 99_999] });
    code.files[0].lines = code.files[0].lines.map((one) => `${one} ${evil}`);
    code.texts[0].text = code.texts[0].text.replaceAll('auto', evil);
    code.texts[0].folds.push({ start: -4, end: 999_999, kind: 'kernel', label: evil });
    await open(bad);
    await panel.tab.waitForTimeout(200);
    expect(await panel.tab.evaluate(() => document.body.dataset.hit)).toBeUndefined();
    expect(await text('.notes')).toContain('<img src=x');
    expect(panel.errors).toEqual([]);
  });

  test.each(['dark', 'light', 'hc'])('%s: accessible, and as it should look', async (theme) => {
    await open(cpu, { theme });
    await cursor('mixed = scores.softmax');
    await soon(shownKernel).toContain('softmax');
    await panel.shot(`code_${theme}`);
    await healthy(panel);
  });

  test('a Triton kernel, and a narrow panel', async () => {
    await open(gpu);
    await panel.shot('code_triton');
    await press('6');
    await soon(() => text('#col-code')).toContain('%r');
    await panel.shot('code_ptx');
    await healthy(panel);
    await panel.tab.setViewportSize({ width: 760, height: 700 });
    await soon(() => panel.tab.$('#col-graph')).toBeNull();
    await panel.tab.click('.tools >> text=Graph');
    await panel.tab.waitForSelector('#col-graph');
    // There is no room for three columns: the graph takes the place of the source.
    expect(await panel.tab.$('#col-source')).toBeNull();
    expect((await panel.tab.locator('#col-code').boundingBox()).width).toBeGreaterThan(300);
    await panel.shot('code_narrow');
    await healthy(panel);
    await panel.tab.click('.tools >> text=Graph');
    await panel.tab.waitForSelector('#col-source');
    await panel.tab.setViewportSize({ width: 340, height: 600 });
    const columns = () => panel.tab.$$eval('.col', (all) => all.map((one) => one.dataset.column));
    await soon(columns).toEqual(['code']);
    await panel.tab.click('.tools >> text=Graph');
    await soon(columns).toEqual(['graph']);
    await healthy(panel);
  });
});
