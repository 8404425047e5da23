import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { healthy, soon } from './checks.mjs';
import { start, TARGET } from './harness.mjs';

// Answers from real recordings, torch 2.13 (written by record_recompiles.py).
const RECORDED = JSON.parse(gunzipSync(readFileSync(new URL('fixtures/recompiles.json.gz', import.meta.url))));
const [S2, MANY] = ['rec-s2_dyn', 'rec-many'].map((name) => RECORDED[name]);

let run;
let panel;
beforeAll(async () => {
  run = await start();
});
afterAll(() => run?.stop());
afterEach(() => panel?.close());

const answerOf = (recorded) => (method, params) => {
  const { recompiles, trees, stages } = recorded;
  if (method === 'recompiles') {
    const own = recompiles.find(({ table }) => table?.versions.some(({ id }) => id === params.compileId));
    return { result: own ?? recompiles[0] };
  }
  const result = (method === 'guardTree' ? trees : stages)[params.compileId];
  return result ? { result } : { problem: { code: 'none', title: 'Not there.', detail: '', actions: [] } };
};

async function open(recorded = S2, compileId = null, options = {}) {
  panel = await run.open('recompiles', {
    answer: answerOf(recorded),
    target: { ...TARGET, compileId },
    ...options,
  });
  await panel.tab.waitForSelector('.version, .page h2', { timeout: 15_000 });
  return panel;
}

const flat = (text) => text.replace(/\s+/g, ' ').trim();
const text = (selector) => panel.tab.$eval(selector, (one) => one.textContent).then(flat, () => null);
const texts = (selector) => panel.tab.$$eval(selector, (all) => all.map((one) => one.textContent)).then((all) => all.map(flat));
const press = async (...keys) => {
  for (const key of keys) await panel.tab.keyboard.press(key);
};
const selected = () => text('.version.selected .id .clip');

describe('the table', () => {
  test('has a column for each version with its calls, and marks the guard that made it', async () => {
    await open(S2, '0/2');
    const { table } = S2.recompiles[0];
    expect(await texts('.version .id .clip')).toEqual(table.versions.map(({ id }) => id));
    expect(await texts('.version .calls b')).toEqual(table.versions.map(({ calls }) => String(calls)));
    // What the program that was recorded does, call by call.
    expect(await texts('td.failed')).toEqual([
      '4failed, then→5',
      '2…6failed, then→8',
      '2failed, then→3',
      'Truefailed, then→False',
      'Falsefailed, then→True',
      'f32failed, then→f64',
      'Falsefailed, then→True',
    ]);
    expect(await texts('tbody tr:not(.quiet) .failures')).toEqual(['2', '1', '1', '1', '1', '1']);
    expect((await texts('tbody tr.quiet .name')).length).toBe(3);
    expect(await text('.limit')).toContain('8 of 8 recompile_limit: one compile was refused');
    expect(await text('.price')).toContain('× 117 calls');
  });

  test('no text of it is cut where there is room for eight versions', async () => {
    await open(S2, '0/2');
    const cut = await panel.tab.$$eval('td.failed .clip, tbody tr:not(.quiet) .name', (all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
    );
    expect(cut).toEqual([]);
  });

  test('thirty-one versions scroll beside a fixed first column, and cluster by guard', async () => {
    await open(MANY, '0/13');
    expect((await texts('.version')).length).toBe(31);
    await panel.tab.$eval('#grid', (grid) => (grid.scrollLeft = 900));
    const left = () => panel.tab.$eval('th.guard', (one) => one.getBoundingClientRect().left);
    expect(await left()).toBe(0);
    await panel.tab.click('text=Cluster by guard');
    await soon(() => texts('.clusters th:not(.corner)')).toEqual(['first', 'name × 30']);
  });

  test('guards that are the same in all versions come when asked for', async () => {
    await open(S2, '0/2');
    expect(await text('button.more')).toContain('more guards');
    await panel.tab.click('button.more');
    await soon(async () => (await texts('tbody tr')).length).toBe(S2.recompiles[0].table.rows.length);
  });
});

describe('the selected version', () => {
  test('moves by keys, and moves source, card and tree', async () => {
    await open(S2, '0/2');
    expect(await text('.card h3')).toBe('x.shape[0]: 2…6 → 8');
    expect(await text('.code-line.hit .marked')).not.toBeNull();
    expect(await text('.code-line.hit .no')).toBe('24');
    expect(await text('.code-line.call')).toContain('compiled 0/2');
    await soon(() => text('.tree-part h2')).toContain('Guard tree of 0/2');
    await press('ArrowRight');
    expect(await selected()).toBe('0/3');
    await soon(() => text('.tree-part h2')).toContain('0/3');
    await press('n');
    expect(await selected()).toBe('0/4');
    expect(await text('.card h3')).toBe('flag: True → False');
    await press('End');
    expect(await selected()).toBe('0/7');
    expect(panel.sent('select').at(-1).selection).toMatchObject({ compileId: '0/7' });
    expect((await panel.state()).target.compileId).toBe('0/7');
  });

  test('Enter opens the line of the guard, links open theirs', async () => {
    await open(S2, '0/2');
    await press('Enter');
    await soon(() => panel.sent('openSource').at(-1)?.place.line).toBe(23);
    await press('ArrowDown', 'Enter');
    await soon(() => panel.sent('openSource').at(-1)?.place.line).toBe(21);
    await panel.tab.click('.card dd .link >> nth=1');
    await soon(() => panel.sent('openSource').at(-1)?.place.line).toBe(30);
  });

  test('C compares its graph with that of the version that did not fit; Shift+click chooses another', async () => {
    await open(S2, '0/2');
    await press('c');
    await soon(() => panel.sent('openDiff').at(-1)?.title).toBe('f: 0/1 ↔ 0/2, Post-grad, after passes');
    await panel.tab.click('#version-0', { modifiers: ['Shift'] });
    await soon(() => text('.toolbar .solid')).toBe('Compare 0/0 ↔ 0/2 graphs');
    await press('Escape');
    await soon(() => text('.toolbar .solid')).toBe('Compare 0/1 ↔ 0/2 graphs');
    await press('g');
    await soon(() => panel.sent('showPanel').at(-1)).toMatchObject({ panel: 'graph', target: { compileId: '0/2' } });
  });

  test('follows what another panel selects, in its own function or another, and says nothing', async () => {
    await open(MANY, '0/13');
    const before = panel.sent('select').length;
    await panel.send({ type: 'selected', selection: { ...TARGET, compileId: '0/5' } });
    await soon(selected).toBe('0/5');
    await panel.send({ type: 'selected', selection: { ...TARGET, compileId: '1/2' } });
    await soon(selected).toBe('1/2');
    expect(await text('.card h3')).toBe('x.shape[0]: 2 → 3');
    await panel.send({ type: 'selected', selection: { ...TARGET, recording: '/other', compileId: '0/1' } });
    expect(await selected()).toBe('1/2');
    expect(panel.sent('select').length).toBe(before);
  });

  test('a function that is named by its first compile opens on the recompile that took longest', async () => {
    await open(S2, '0/0');
    const made = S2.recompiles[0].table.versions.slice(1);
    await soon(selected).toBe(made.toSorted((a, b) => b.seconds - a.seconds)[0].id);
  });

  test('a function that has one version on this rank opens on the rank where it was compiled again', async () => {
    const [shown] = S2.recompiles;
    const [own] = shown.functions;
    const first = { ...own, compileId: '9/0', versions: 1, recompiles: 0, costS: 0, rank: 0 };
    const functions = [{ ...own, rank: 1 }, first];
    const version = { ...shown.table.versions[0], id: '9/0' };
    const table = { ...shown.table, compileId: '9/0', versions: [version], rows: [], recompiles: 0, refusals: [] };
    await open({ ...S2, recompiles: [{ functions, table: shown.table }, { functions, table }] }, '9/0');
    const dearest = shown.table.versions.slice(1).toSorted((a, b) => b.seconds - a.seconds)[0].id;
    await soon(selected).toBe(dearest);
    expect((await texts('vscode-single-select.compile vscode-option')).map((one) => one.slice(0, 6))).toEqual(['rank 1', 'rank 0']);
    await panel.tab.$eval('vscode-single-select.compile', (one) => {
      one.value = '9/0';
      one.dispatchEvent(new Event('change'));
    });
    await soon(() => text('.good h2')).toMatch(/^One version, no recompile/);
  });

  test('is there again after a reload', async () => {
    await open(S2, '0/2');
    await press('ArrowRight');
    panel.setTarget((await panel.state()).target);
    await panel.tab.reload();
    await panel.tab.waitForSelector('.version');
    expect(await selected()).toBe('0/3');
  });

  test('says the ranges of a dimension that is variable', async () => {
    await open(S2, '0/2');
    expect(await text('.dimension')).toContain('x.shape[0] is dynamic since 0/1, in 2 ranges');
    expect(await texts('.band .range')).toEqual(['4', '2…6', '≥ 7']);
    expect(await text('.dimension')).toContain('torch._dynamo.mark_dynamic(x, 0)');
  });
});

describe('states', () => {
  test('one version is good', async () => {
    await open(MANY, '2/0');
    expect(await text('.good h2')).toMatch(/^One version, no recompile\. Guards cost [\d.]+ ms a call\.$/);
    await healthy(panel);
    await panel.shot('recompiles-good');
  });

  test('no recording, nothing compiled, a problem', async () => {
    await open(S2, null, { target: null });
    expect(await text('.page h2')).toBe('No recording yet');
    await panel.close();
    await open({ recompiles: [{ functions: [], table: null }], trees: {}, stages: {} });
    expect(await text('.page h2')).toBe('Nothing was compiled in this run');
    await panel.tab.click('vscode-button');
    await soon(() => panel.sent('action').length).toBe(1);
    await panel.close();
    const problem = { code: 'gone', title: 'The recording is gone.', detail: '/rec', actions: [] };
    await open(S2, null, { answer: () => ({ problem }) });
    expect(await text('.page h2')).toBe('The recording is gone.');
  });

  test('a log of torch alone has no calls, and says why', async () => {
    const [first] = S2.recompiles;
    const versions = first.table.versions.map((one) => ({ ...one, calls: null }));
    const noCalls = 'How often a version ran is not in this recording.';
    const table = { ...first.table, versions, calls: null, guardS: null, noCalls };
    await open({ ...S2, recompiles: [{ ...first, table }] }, '0/2');
    expect(await text('.price')).toContain('guard × calls: not recorded');
    expect(await panel.tab.getAttribute('.version .calls', 'title')).toBe(noCalls);
    expect(await text('.version .calls b')).toBeNull();
  });

  test('a running recording brings new versions and keeps the place', async () => {
    const [first] = S2.recompiles;
    let shown = { ...first, table: { ...first.table, versions: first.table.versions.slice(0, 4) } };
    const answer = answerOf(S2);
    await open(S2, '0/2', {
      answer: (method, params) => (method === 'recompiles' ? { result: shown } : answer(method, params)),
    });
    expect((await texts('.version')).length).toBe(4);
    shown = first;
    await panel.send({ type: 'changed', recording: TARGET.recording, running: true });
    await soon(async () => (await texts('.version')).length).toBe(8);
    expect(await selected()).toBe('0/2');
    expect((await texts('.version.fresh')).length).toBe(4);
  });

  test('hostile answers are text and harm nothing', async () => {
    const evil = '<img src=x onerror="window.hurt = 1"><script>window.hurt = 1</script>'.repeat(20);
    const [first] = MANY.recompiles;
    const cause = { ...first.table.versions[1].cause, about: evil, old: evil, new: null, words: evil, guard: evil };
    const versions = Array.from({ length: 64 }, (_, at) => ({
      ...first.table.versions[0],
      id: `0/${at}`,
      cause: at === 0 ? null : cause,
    }));
    const cells = versions.map(() => evil.slice(0, 200));
    const rows = Array.from({ length: 60 }, (_, at) => ({
      about: at === 0 ? evil : `row ${at}`,
      kind: evil,
      place: null,
      failures: [1, 999],
      cells,
      same: null,
    }));
    const table = { ...first.table, function: evil, versions, rows, source: { file: evil, line: 1, lines: [evil] } };
    const nodes = Array.from({ length: 5000 }, (_, at) => ({
      depth: at % 60,
      text: evil.slice(0, 60),
      code: evil.slice(0, 60),
      kind: '',
      checks: 1,
      about: [],
      place: null,
    }));
    const tree = { latencyUs: 1, count: 1, nodes, leftOut: 3 };
    await open(MANY, '0/1', {
      answer: (method) => ({ result: method === 'recompiles' ? { ...first, table } : tree }),
    });
    await soon(() => text('.tree-part')).toContain('<img src=x');
    expect(await panel.tab.$$eval('img, td script, #app script', (all) => all.length)).toBe(0);
    expect(await panel.tab.evaluate(() => window.hurt)).toBeUndefined();
    // Only what is in view is in the page.
    expect(await panel.tab.$$eval('.node', (all) => all.length)).toBeLessThan(100);
    expect((await texts('.version')).length).toBeLessThan(40);
    await press('End');
    await soon(selected).toBe('0/63');
    expect(panel.errors).toEqual([]);
  });
});

describe.each(['dark', 'light', 'hc'])('%s', (theme) => {
  test('is accessible and looks right', async () => {
    await open(S2, '0/2', { theme });
    await panel.tab.waitForSelector('.node');
    await panel.shot(`recompiles-${theme}`);
    await healthy(panel);
  });
});

test('many versions and a narrow page', async () => {
  await open(MANY, '0/13');
  await panel.tab.waitForSelector('.node');
  await panel.shot('recompiles-many');
  await healthy(panel);
  await panel.close();
  await open(S2, '0/2', { width: 760 });
  await panel.tab.waitForSelector('.node');
  await panel.shot('recompiles-narrow');
  await healthy(panel);
  await panel.close();
  await open(MANY, '0/13', { width: 510, height: 700 });
  const [grid, selected] = await Promise.all(
    ['#grid', 'th.version.selected'].map((one) => panel.tab.locator(one).boundingBox()),
  );
  expect(selected.x + selected.width, 'the version that was asked for is in view').toBeLessThanOrEqual(grid.x + grid.width + 1);
});
