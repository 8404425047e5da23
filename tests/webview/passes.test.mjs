import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { healthy, soon } from './checks.mjs';
import { start, TARGET } from './harness.mjs';
import { load, recorded } from './recorded.mjs';
import { recording as synthetic, UNRUN } from './synthetic.mjs';

let run;
let panel;
const answers = load();
const steps = answers.passes.passes;
const all = steps.filter(({ kind }) => kind === 'pass');
const minus = (n) => (n > 0 ? `+${n}` : String(n).replace('-', '\u2212'));

beforeAll(async () => {
  run = await start();
});
afterAll(() => run?.stop());
afterEach(() => panel?.close());

async function open(options = {}) {
  panel = await run.open('passes', { answer: recorded(answers), target: TARGET, ...options });
  await panel.tab.waitForSelector('.row, .page h2');
  return panel;
}

const text = (selector) =>
  panel.tab.$eval(selector, (one) => one.textContent.replace(/\s+/g, ' ').trim()).catch(() => null);
const selected = () => text('.detail-head h2');
const rows = (kind = '.row') =>
  panel.tab.$$eval(kind, (found) =>
    found.map((one) => one.querySelector('.name').textContent.replace(/\s+/g, ' ').trim()),
  );
const press = async (...keys) => {
  for (const key of keys) await panel.tab.keyboard.press(key);
};

describe('content', () => {
  test('the summary counts passes, changes, time and nodes of the recording', async () => {
    await open();
    const summary = await text('.summary');
    expect(summary).toContain(`${all.length} passes`);
    expect(summary).toContain(`${all.filter((pass) => pass.depth === 0 && pass.changed).length} changed the graph`);
    const joint = all.filter((pass) => pass.phase === 'joint');
    expect(summary).toContain(`${joint[0].nodesBefore} → ${joint.at(-1).nodesAfter} nodes`);
    expect(summary).toMatch(/η \d\.\d %/);
    expect(summary).toMatch(/% of the [\d.]+ s compile/);
  });

  test('a row gives time, nodes before and after, and Δ with a true minus', async () => {
    await open();
    const pass = all.find((one) => one.changed && one.delta < 0);
    const row = await panel.tab.$$eval(
      '.row.is-pass',
      (found, name) => {
        const one = found.find((r) => r.querySelector('.mono').textContent === name);
        return {
          label: one.querySelector('.mark').textContent,
          nodes: one.querySelector('.nodes').textContent,
          delta: one.querySelector('.delta').textContent,
        };
      },
      pass.name,
    );
    expect(row.delta).toBe(minus(pass.delta));
    expect(row.nodes).toBe(`${pass.nodesBefore} → ${pass.nodesAfter}`);
    expect(row.label).toContain('changed');
  });

  test('exactly one pass is the slowest, and it is', async () => {
    await open();
    const top = all.filter((pass) => pass.depth === 0);
    const slowest = top.reduce((a, b) => (b.seconds > a.seconds ? b : a));
    expect(
      await panel.tab.$$eval('.slowest', (found) => found.map((one) => one.querySelector('.mono').textContent)),
    ).toEqual([slowest.name]);
  });

  test('the preview shows what the pass did to the text', async () => {
    await open();
    const pass = all.find((one) => one.changed && one.nodesAfter < one.nodesBefore);
    await soon(selected).toBe(pass.name);
    await soon(() => panel.tab.$$eval('.is-removed', (found) => found.length)).toBeGreaterThan(0);
    const removed = await panel.tab.$$eval('.is-removed .text', (found) => found.map((one) => one.textContent));
    const [before, after] = [pass.before, pass.after].map((id) => answers.texts[id].text.split('\n'));
    for (const line of removed) expect(before).toContain(line);
    const added = await panel.tab.$$eval('.is-added .text', (found) => found.map((one) => one.textContent));
    for (const line of added) expect(after).toContain(line);
  });

  test('gaps, failures and custom passes are marked; a custom one that did nothing is explained', async () => {
    await open({ answer: synthetic(), height: 1300 });
    expect(await panel.tab.$$eval('.tag', (found) => found.map((one) => one.textContent))).toEqual(
      expect.arrayContaining(['custom', 'slowest', 'failed', 'never ran']),
    );
    expect(await text('.is-gap .own')).toBe('changed outside of every observed pass');
    expect(await text('.is-gap .time')).toBe('–');
    expect(await text('.callout')).toContain('Why did this pass change nothing?');
    await panel.tab.click('.callout .link');
    await soon(() => panel.sent('openSource').map(({ place }) => [place.file, place.line])).toEqual([
      ['/home/user/project/my_passes.py', 40],
    ]);
    await panel.tab.click('.callout [aria-label=Dismiss]');
    await soon(() => panel.tab.$('.callout')).toBeNull();
  });
});

describe('steps that are no pass', () => {
  test('phases are in words, without a bar, and Δ only where the graph is of the same kind', async () => {
    await open({ height: 1600 });
    const phases = steps.filter(({ kind }) => kind === 'phase');
    const found = await panel.tab.$$eval('.row.is-phase', (list) =>
      list.map((one) => [!!one.querySelector('.track i'), one.querySelector('.delta').textContent]),
    );
    expect(found.length).toBe(phases.length);
    const same = phases.map(({ source, phase }) => source === null && phase !== 'scheduler');
    expect(found).toEqual(phases.map((one, at) => [false, same[at] ? minus(one.delta) : '–']));
    await panel.tab.click('.row:has-text("AOTAutograd traces the graph anew")');
    await soon(selected).toBe('AOTAutograd traces the graph anew');
    expect(await text('.detail-head .dim')).toBe('aotautograd · a phase of the compiler');
    expect(await text('.facts')).toContain('0/0/dynamo → 0/0/joint');
  });

  test('the matches of a pass: how many of which pattern, and their lines', async () => {
    await open();
    const pass = all.filter((one) => one.matches.length > 0).at(-1);
    const last = pass.matches.at(-1);
    await panel.tab.click(`#row-${await rowOf(pass)}`);
    const name = last.pattern.split('.').at(-1);
    const own = pass.matches.filter(({ pattern }) => pattern === last.pattern).length;
    await soon(() => text(`.match:has-text("${name}")`)).toContain(`${own} × ${name}`);
    await soon(() => panel.tab.$('.is-added')).not.toBeNull();
    await healthy(panel);
    await panel.shot('passes-matches');
    expect(await panel.tab.getAttribute('.row.selected', 'title')).toContain(`${own} × ${name}`);
    await panel.tab.click(`.match:has-text("${name}") .link`);
    await soon(() => panel.sent('openSource').length).toBe(1);
    const { place } = panel.sent('openSource')[0];
    expect(pass.matches.map(({ file, line }) => [file, line - 1])).toContainEqual([place.file, place.line]);
  });
});

/** Index of a pass's row. */
const rowOf = (pass) => panel.tab.$$eval('.row.pass', (found, at) => found[at].id.slice(4), steps.indexOf(pass));

describe('passes of the program', () => {
  const open_ = () => open({ answer: synthetic(), height: 1300 });

  test('one that failed is red and says with what', async () => {
    await open_();
    await panel.tab.click('.row.failed');
    await soon(selected).toBe('Overlap');
    expect(await text('.row.failed .more')).toBe('no process group · post_grad_custom_post_pass');
    expect(await text('.failure')).toBe('RuntimeError: no process group');
    expect(await text('[role=status][aria-live]')).toBe('Overlap, failed, unchanged');
    expect(await text('.facts')).toContain('post_grad_custom_post_pass');
    await panel.shot(`passes-failed`);
    await panel.tab.click('.facts .link');
    await soon(() => panel.sent('openSource').map(({ place }) => [place.file, place.line])).toEqual([
      ['/home/user/project/my_passes.py', 40],
    ]);
    await healthy(panel);
  });

  test('those that did not run are last, dimmed, with the reason; the keyboard comes there', async () => {
    await open_();
    await panel.tab.focus('#list [role=tree]');
    await press('End', 'ArrowUp');
    await soon(selected).toBe(UNRUN[0].function.split('.').at(-1));
    expect(await text('.row.selected .more')).toBe(UNRUN[0].reason);
    expect(await text('[role=status][aria-live]')).toBe(`balance, never ran: ${UNRUN[0].reason}`);
    expect(await text('.preview-note')).toBe(`This pass never ran. ${UNRUN[0].reason}`);
    expect(await panel.tab.$('.row.selected .delta')).toBeNull();
    await panel.tab.click('.facts .link');
    await soon(() => panel.sent('openSource').map(({ place }) => [place.file, place.line])).toEqual([
      [UNRUN[0].file, UNRUN[0].line - 1],
    ]);
    await healthy(panel);
    await panel.shot('passes-unrun');
  });

  test('where no pass ran at all they stand below the reason', async () => {
    const compiles = [{ id: '0/0', title: '0/0  f' }];
    const note = 'The graph came out of a cache, so no pass ran.';
    const result = { compiles, passes: [], compileSeconds: 1, overhead: null, note, cause: 'cache', unrun: UNRUN };
    await open({ answer: () => ({ result }) });
    for (const { reason, slot } of UNRUN) {
      await soon(() => text('.page')).toContain(reason);
      expect(await text('.page')).toContain(slot);
    }
    await panel.tab.click('.page .link');
    await soon(() => panel.sent('openSource').length).toBe(1);
    await healthy(panel);
    await panel.shot('passes-none-unrun');
  });
});

describe('keyboard', () => {
  test('arrows move; with Alt from change to change', async () => {
    await open();
    await panel.tab.focus('#list [role=tree]');
    await press('Home');
    await soon(selected).toBe('Pre-grad');
    await press('ArrowDown');
    await soon(selected).toBe(all[0].name);
    const changed = all.filter((pass) => pass.changed);
    for (const pass of changed.slice(0, 3)) {
      await press('Alt+ArrowDown');
      await soon(selected).toBe(pass.name);
    }
    await press('Alt+ArrowUp');
    await soon(selected).toBe(changed[1].name);
    await press('End');
    await soon(async () => (await panel.state()).pass).toBe(steps.at(-1).order);
    await soon(() =>
      panel.tab.$eval('.row.selected', (one) => one.getBoundingClientRect().bottom <= innerHeight - 24),
    ).toBe(true);
  });

  test('left and right close and open a phase', async () => {
    await open();
    await panel.tab.focus('#list [role=tree]');
    await press('ArrowLeft');
    await soon(selected).toBe('Joint');
    await press('ArrowLeft');
    await soon(() => panel.tab.getAttribute('.row.selected', 'aria-expanded')).toBe('false');
    await press('ArrowRight');
    await soon(() => panel.tab.getAttribute('.row.selected', 'aria-expanded')).toBe('true');
  });

  test('Enter opens the diff editor, G the graph; neither for a pass that changed nothing', async () => {
    await open();
    const pass = all.find((one) => one.changed);
    await soon(selected).toBe(pass.name);
    await panel.tab.focus('#list [role=tree]');
    await press('Enter', 'g');
    await soon(() => panel.sent('openDiff').length).toBe(1);
    expect(panel.sent('openDiff')[0]).toMatchObject({
      before: pass.before,
      after: pass.after,
      recording: TARGET.recording,
      title: `${pass.name} · joint of Transformer.forward [0/0]`,
    });
    expect(panel.sent('showPanel')[0].target).toMatchObject({ snapshot: pass.after, compileId: '0/0', pass: pass.order });
    await press('Home', 'ArrowDown', 'Enter');
    await soon(() => text('.preview-note')).toContain('did not change the graph');
    expect(panel.sent('openDiff').length).toBe(1);
    expect(
      await panel.tab.locator('vscode-button:has-text("Open in diff editor")').getAttribute('disabled'),
    ).not.toBeNull();
  });

  test('M opens all shown changes in one editor, nested ones within their outer pass', async () => {
    await open();
    await soon(selected).not.toBeNull();
    await panel.tab.focus('#list [role=tree]');
    await press('m');
    await soon(() => panel.sent('openChanges').length).toBe(1);
    const { recording, changes } = panel.sent('openChanges')[0];
    expect(recording).toBe(TARGET.recording);
    const outer = all.filter((one) => one.changed && one.depth === 0 && one.before && one.after);
    const comparedPasses = changes.map(({ before, after }) => `${before} ${after}`);
    for (const one of outer.filter(({ kind }) => kind === 'pass'))
      expect(comparedPasses).toContain(`${one.before} ${one.after}`);
    expect(changes.length).toBeGreaterThan(1);
  });

  test('a selection elsewhere is followed, and the focus stays where it is', async () => {
    await open();
    const pass = all.filter((one) => one.changed).at(-1);
    await panel.tab.focus('#filter');
    await panel.send({ type: 'selected', selection: { ...TARGET, pass: pass.order } });
    await soon(selected).toBe(pass.name);
    expect(await panel.tab.evaluate(() => document.activeElement.id)).toBe('filter');
  });

  test('H hides what changed nothing; / filters; Escape clears', async () => {
    await open();
    await panel.tab.focus('#list [role=tree]');
    await press('h');
    const changed = all.filter((pass) => pass.changed).map((pass) => pass.name);
    await soon(async () =>
      (await rows('.is-pass')).map((name) => name.split(' ')[0]),
    ).toEqual(changed);
    await press('h', '/');
    await panel.tab.keyboard.type('noop');
    await soon(async () => new Set(await rows('.is-pass'))).toEqual(
      new Set(['remove_noop_ops']),
    );
    await panel.tab.fill('#filter', 'no such pass');
    await soon(() => text('.left .page')).toContain('No pass matches');
    await press('Escape');
    await soon(async () => (await rows()).length).toBeGreaterThan(10);
  });
});

test('without a compile to show it is the first with passes, and the host is told', async () => {
  const compiles = ['0/0', '1/0', '2/0'].map((id) => ({ id, title: `${id}  f` }));
  const answer = (method, params) => {
    const passes = ['1/0', '2/0'].flatMap((compileId) => all.map((pass) => ({ ...pass, compileId })));
    const own = passes.filter(({ compileId }) => [null, compileId].includes(params.compileId));
    return method === 'passes' ? { result: { ...answers.passes, compiles, passes: own } } : recorded(answers)(method, params);
  };
  await open({ answer });
  await soon(async () => (await panel.state()).compileId).toBe('1/0');
  await soon(() => panel.sent('select').map(({ selection }) => selection.compileId)).toEqual(['1/0']);
});

describe('state', () => {
  test('selection, filter and closed phases are there again after a reload', async () => {
    await open();
    await panel.tab.focus('#list [role=tree]');
    await press('h', 'Alt+ArrowDown', 'Alt+ArrowDown');
    const name = await selected();
    const before = await panel.state();
    await panel.tab.reload();
    await soon(selected).toBe(name);
    expect(await panel.state()).toEqual(before);
    expect(await panel.tab.getAttribute('[aria-pressed]', 'aria-pressed')).toBe('true');
  });
});

describe('the timeline of the compile', () => {
  const { timeline } = answers;
  const { spans } = timeline;
  const block = (order) => timeline.steps.find((step) => step.order === order)?.span;
  const inChart = () => text('.strip-readout b');

  test('a selected pass is its block, and a block its pass; keys walk and zoom; all is kept', async () => {
    await open();
    const pass = all.filter(({ phase, changed, depth }) => phase === 'joint' && changed && depth === 0).at(-1);
    await panel.tab.click(`#row-${await rowOf(pass)}`);
    await soon(inChart).toBe(pass.name);
    const [start, time] = [spans.start[block(pass.order)], spans.time[block(pass.order)]];
    expect(await text('.strip-readout')).toContain(timeline.texts[spans.label[spans.parent[block(pass.order)]]]);
    expect(start + time).toBeLessThan(timeline.time);

    await panel.tab.focus('#list [role=tree]');
    await press('t');
    expect(await panel.tab.evaluate(() => document.activeElement.className)).toBe('flame');
    const before = all.filter(({ graph, depth }) => graph === pass.graph && depth === 0);
    await press('ArrowLeft');
    const previous = before[before.indexOf(pass) - 1].name;
    await soon(selected).toBe(previous);
    await soon(inChart).toBe(previous);
    await press('ArrowUp');
    await soon(inChart).not.toBe(previous);
    expect(await selected()).toBe(previous);
    await press('+', '+', '+');
    await soon(async () => (await panel.state()).camera?.to ?? 0).toBeGreaterThan(0);
    const { from, to } = (await panel.state()).camera;
    expect(to - from).toBeLessThan(timeline.time / 3);
    await panel.tab.focus('[aria-label="Height of the timeline"]');
    await press('ArrowDown', 'ArrowDown');
    await soon(async () => (await panel.state()).stripHeight).toBe(214);
    await panel.tab.reload();
    await soon(inChart).toBe(previous);
    expect((await panel.state()).camera).toEqual({ from, to });
    expect((await panel.tab.locator('.strip-chart').boundingBox()).height).toBe(214);
    await panel.tab.focus('.flame');
    await press('0');
    await soon(async () => (await panel.state()).camera).toBeNull();
    await press('Escape');
    expect(await panel.tab.evaluate(() => document.activeElement.getAttribute('role'))).toBe('tree');
  });

  test('a click on a block selects its row', async () => {
    await open({ width: 1600, height: 1000 });
    const slow = all.filter(({ depth }) => depth === 0).reduce((a, b) => (b.seconds > a.seconds ? b : a));
    await panel.tab.click(`#row-${await rowOf(slow)}`);
    await soon(inChart).toBe(slow.name);
    await panel.tab.dblclick('.flame', { position: await placeOf(block(slow.order)) });
    const other = all.find((one) => one.order === slow.order + 1 && one.depth === 1);
    await soon(async () => (await panel.state()).camera).not.toBeNull();
    await press('ArrowDown');
    await soon(selected).toBe(other.name);
    await press('ArrowUp', 'ArrowUp');
    await soon(inChart).not.toBe(slow.name);
    await panel.tab.mouse.click(...(await middleOf(0, spans.row[block(slow.order)])));
    await soon(inChart).toBe(slow.name);
    await soon(selected).toBe(slow.name);
    await panel.shot('passes-timeline-zoomed');
  });

  /** Where a block is when all is in view. */
  async function placeOf(span) {
    const { width } = await panel.tab.locator('.flame').boundingBox();
    const all_ = timeline.time;
    const x = 12 + ((spans.start[span] + spans.time[span] / 2 + all_ * 0.012) / (all_ * 1.024)) * (width - 12);
    return { x, y: 23 + 3 + spans.row[span] * 23 + 11 };
  }

  async function middleOf(lane, row) {
    const box = await panel.tab.locator('.flame').boundingBox();
    return [box.x + box.width / 2, box.y + 23 + 3 + row * 23 + 11 - (await panel.tab.$eval('.flame', (one) => one.scrollTop))];
  }

  test('without times, or when it can not be had, there is the list alone and a line that says why', async () => {
    const none = { ...timeline, spans: Object.fromEntries(Object.keys(spans).map((key) => [key, []])), steps: [], open: [] };
    const answering = (timelineAnswer) => (method, params) =>
      method === 'timeline' ? timelineAnswer : recorded(answers)(method, params);
    await open({ answer: answering({ result: none }) });
    await soon(() => text('.strip-note')).toContain('The times of this compile were not recorded');
    expect(await panel.tab.$('.strip')).toBeNull();
    await healthy(panel);
    await panel.shot('passes-no-times');
    await panel.close();
    const problem = { code: 'x', title: 'The log was cut short.', detail: '', actions: [] };
    await open({ answer: answering({ problem }) });
    await soon(() => text('.strip-note')).toContain('No timeline: The log was cut short.');
    await panel.close();
    const hostile = '<img src=x onerror="document.title = 1">'.repeat(3000);
    await open({ answer: answering({ result: { ...timeline, texts: timeline.texts.map((one) => (one === '0/0' ? one : hostile)) } }) });
    await soon(inChart).toContain('<img src=x');
    expect(await panel.tab.$('.right img')).toBeNull();
    await healthy(panel);
    await panel.close();
    await open({ answer: answering({ result: { spans: null } }) });
    await soon(() => text('.strip-note')).toContain('No timeline: ');
    expect(await panel.tab.$$eval('.row', (found) => found.length)).toBeGreaterThan(10);
  });
});

describe('empty and error', () => {
  test('nothing recorded', async () => {
    await open({ target: null });
    expect(await text('.page')).toContain('No recording yet');
  });

  test.each([
    ['capture', 'This run stopped at capture, before the passes.', 'Trace at full depth', 'traceFull'],
    ['cache', 'The graph came out of a cache, so no pass ran.', 'Trace without caches', 'traceWithoutCaches'],
    ['failed', 'The compile failed before its first pass.', 'Show output', 'showOutput'],
    ['backend', 'The backend is not Inductor, and only Inductor runs passes.', null, null],
    ['eager', 'This function runs in eager, so no pass ran.', null, null],
  ])('no passes because of %s: why, and the way to them if there is one', async (cause, note, label, action) => {
    const compiles = [{ id: '0/0', title: '0/0  f' }];
    const result = { compiles, passes: [], compileSeconds: 1, overhead: null, note, cause, unrun: [] };
    await open({ answer: () => ({ result }) });
    await soon(() => text('.page')).toContain(note);
    if (label === null) {
      expect(await panel.tab.$('.page vscode-button')).toBeNull();
      await healthy(panel);
      return;
    }
    await panel.tab.click(`vscode-button:has-text("${label}")`);
    await soon(() => panel.sent('action').map((message) => message.action)).toEqual([action]);
    await healthy(panel);
  });

  test('a text that is gone disables nothing but the preview', async () => {
    const answer = (method, params) =>
      method === 'graphText'
        ? { problem: { code: 'x', title: 'The log was cut short.', detail: '', actions: [] } }
        : recorded(answers)(method, params);
    await open({ answer });
    await soon(() => text('.preview-note')).toContain('The log was cut short.');
  });
});

describe.each(['dark', 'dark2026', 'light', 'hc'])('looks in %s', (theme) => {
  test('real and synthetic passes are accessible', async () => {
    await open({ theme });
    await soon(() => panel.tab.$('.is-removed')).not.toBeNull();
    await healthy(panel);
    await panel.shot(`passes-${theme}`);
    await panel.close();
    await open({ theme, answer: synthetic() });
    await soon(() => panel.tab.$('.is-removed')).not.toBeNull();
    await healthy(panel);
    await panel.shot(`passes-custom-${theme}`);
  });
});

test.each([
  [510, 'Liberation Sans'],
  [1020, 'Liberation Sans'],
  [1280, 'Liberation Sans'],
  [510, 'DejaVu Sans'],
  [1020, 'DejaVu Sans'],
])('no name of up to 30 characters and no number is cut in a panel of %i pixels, in %s', async (width, font) => {
  await open({ width, height: 800 });
  await panel.tab.evaluate((name) => document.documentElement.style.setProperty('--vscode-font-family', name), font);
  const isCut = (one) => one.scrollWidth > one.clientWidth;
  for (const name of ['remove_noop_ops', 'constant_fold_uniform_value']) {
    await panel.tab.click(`.row.pass:has-text("${name}")`);
    await soon(selected).toBe(name);
    expect(await panel.tab.$eval('.detail-head h2', isCut)).toBe(false);
  }
  await soon(() => text('.detail-head .dim')).toMatch(/^joint · pass \d+ of \d+$/);
  for (const selector of ['.row .name > .mono', '.row .time .num:last-child', '.row .nodes', '.row .delta', '.kpi']) {
    const cut = await panel.tab.$$eval(selector, (found) =>
      found.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
    );
    expect(
      cut.filter((name) => name.length <= 30),
      selector,
    ).toEqual([]);
  }
});

test('a narrow panel puts the details below the list', async () => {
  await open({ width: 640, height: 700 });
  const [list, details] = await Promise.all(['.left', '.right'].map((one) => panel.tab.locator(one).boundingBox()));
  expect(details.y).toBeGreaterThanOrEqual(list.y + list.height - 1);
  expect(await panel.tab.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(640);
  await panel.shot('passes-narrow');
});
