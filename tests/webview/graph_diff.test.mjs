import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { healthy, soon } from './checks.mjs';
import { start, TARGET } from './harness.mjs';
import { hostileGraph } from './hostile.mjs';
import { load, recorded } from './recorded.mjs';
import { recording as synthetic } from './synthetic.mjs';

let run;
let panel;
const answers = load();
const stageOf = (stage, position = 'after', graph = '') =>
  answers.stages.stages.find(
    (info) => info.stage === stage && info.position === position && info.graph.endsWith(graph),
  );
const joint = () => answers.diffs[`${stageOf('joint', 'before').snapshot}:${stageOf('joint').snapshot}`];
const passes = answers.passes.passes.filter(
  (pass) => pass.phase === 'joint' && pass.before && pass.after && pass.before !== pass.after,
);
const minus = (value) => String(value).replace('-', '\u2212');

beforeAll(async () => {
  run = await start();
});
afterAll(() => run?.stop());
afterEach(() => panel?.close());

async function open(options = {}) {
  panel = await run.open('graph', { answer: recorded(answers), target: TARGET, ...options });
  await panel.tab.waitForSelector('[role=tab][aria-selected=true], .page h2, .page p');
  await soon(() => panel.tab.getAttribute('#canvas', 'data-drawn')).not.toBe('');
  return panel;
}

const text = (selector) =>
  panel.tab.$eval(selector, (one) => one.textContent.replace(/\s+/g, ' ').trim()).catch(() => null);
const drawn = () => panel.tab.getAttribute('#canvas', 'data-drawn');
const selectedName = () => text('.details h2');
const press = async (...keys) => {
  for (const key of keys) await panel.tab.keyboard.press(key);
};
async function goTo(key) {
  const before = await drawn();
  await panel.tab.click(`[data-key="${key}"]`);
  await soon(() => panel.tab.getAttribute(`[data-key="${key}"]`, 'aria-selected')).toBe('true');
  if (key !== 'dynamo') await soon(drawn).not.toBe(before);
}
async function compareJoint() {
  await goTo('joint');
  await panel.tab.focus('#canvas');
  await press('d');
  await soon(() => text('.bar.diff')).not.toBeNull();
}

describe('comparison', () => {
  test('D compares the stage; counts, Δ and its parts are those of the two states', async () => {
    await open();
    await compareJoint();
    const { states } = joint();
    const [before, after] = [stageOf('joint', 'before'), stageOf('joint')];
    const count = (state) => states.filter((one) => one === state).length;
    const bar = await text('.bar.diff');
    expect(bar).toContain(`+${count('added')} \u2212${count('removed')} ~${count('changed')}`);
    const [nodes, edges] = [before.nodes - after.nodes, before.edges - after.edges];
    expect(bar).toContain(`Δ = (${before.nodes} \u2212 ${after.nodes}) + (${before.edges} \u2212 ${after.edges})`);
    expect(bar).toContain(minus(nodes + edges));
    const names = (graph) => new Set(answers.graphs[graph].names);
    const [old, now] = [names(before.snapshot), names(after.snapshot)];
    expect(count('removed')).toBe([...old].filter((name) => !now.has(name)).length);
    expect(count('added')).toBe([...now].filter((name) => !old.has(name)).length);
    expect(await text('.legend')).toContain(`added${count('added')}`);
    await press('d');
    await soon(() => text('.bar.diff')).toBeNull();
  });

  test('F7 leads from change to change, with its node selected, and Shift+F7 back', async () => {
    await open();
    await compareJoint();
    await press('F7');
    await soon(() => text('.bar.diff .at')).toMatch(/^change 1 \/ \d+$/);
    const first = await selectedName();
    const { graph, states } = joint();
    expect(states[graph.names.indexOf(first)]).not.toBe('same');
    await press('F7');
    await soon(() => text('.bar.diff .at')).toMatch(/^change 2 \//);
    await press('Shift+F7');
    await soon(selectedName).toBe(first);
  });

  test('an added node says what made it and what it replaces', async () => {
    const pass = passes.find(({ matches }) => matches.some(({ created }) => created.length > 2));
    const diff = answers.diffs[`${pass.before}:${pass.after}`];
    const at = diff.replaces.findIndex((names) => names.length > 0);
    await open({ target: { ...TARGET, compileId: pass.compileId, snapshot: pass.after, pass: pass.order } });
    await soon(() => text('.bar.diff')).not.toBeNull();
    await panel.tab.fill('#search', diff.graph.names[at]);
    await press('Enter');
    await soon(selectedName).toBe(diff.graph.names[at]);
    const match = pass.matches.find(({ created }) => created.includes(diff.graph.names[at]));
    const said = await text('.details');
    expect(said).toContain('added');
    if (match) expect(said).toContain(match.pattern.split('.').at(-1));
    for (const name of diff.replaces[at]) expect(said).toContain(name);
  });

  test('a pass of the pass panel opens as a comparison; comma and dot lead to the next', async () => {
    const [first, second] = passes;
    await open({ target: { ...TARGET, compileId: first.compileId, snapshot: first.after, pass: first.order } });
    await soon(drawn).toBe(`${first.before}:${first.after}`);
    expect(await text('.foot')).toMatch(/pass \d+ of \d+/);
    await panel.tab.focus('#canvas');
    await press('.');
    await soon(drawn).toBe(`${second.before}:${second.after}`);
    await press(',');
    await soon(drawn).toBe(`${first.before}:${first.after}`);
    await panel.tab.click('vscode-button:has-text("Open text diff")');
    await soon(() => panel.sent('openDiff').map(({ before, after }) => [before, after])).toEqual([
      [first.before, first.after],
    ]);
    await panel.tab.click('vscode-button:has-text("Show pass")');
    await soon(() => panel.sent('showPanel').map(({ panel: kind, target }) => [kind, target.pass])).toEqual([
      ['passes', first.order],
    ]);
  });

  test('1, 2 and 3 show both sides, before and after in the same places', async () => {
    await open();
    await compareJoint();
    const image = () => panel.tab.$eval('#canvas', (canvas) => canvas.toDataURL());
    await panel.tab.waitForTimeout(300);
    const both = await image();
    await press('2');
    await soon(() => panel.tab.getAttribute('.bar.diff [role=radio]:nth-child(2)', 'aria-checked')).toBe('true');
    await panel.tab.waitForTimeout(200);
    const before = await image();
    await press('3');
    await panel.tab.waitForTimeout(200);
    const after = await image();
    await press('1');
    await panel.tab.waitForTimeout(200);
    expect(new Set([both, before, after]).size).toBe(3);
    expect(await image()).toBe(both);
  });

  test('a stage with one state says why there is nothing to compare', async () => {
    await open();
    await panel.tab.focus('#canvas');
    await press('d');
    await soon(() => text('.foot')).toContain('has one state');
    await goTo('scheduler');
    await panel.tab.focus('#canvas');
    await press('d');
    await soon(() => text('.foot')).toContain('The scheduler fuses nodes');
    expect(await text('.bar.diff')).toBeNull();
  });

  test('it is there again after a reload', async () => {
    await open();
    await compareJoint();
    await press('F7');
    await soon(() => text('.bar.diff .at')).toMatch(/^change 1/);
    const name = await selectedName();
    await panel.tab.reload();
    await soon(selectedName).toBe(name);
    expect(await text('.bar.diff .at')).toMatch(/^change 1/);
    expect(panel.errors).toEqual([]);
  });
});

describe('filters', () => {
  test('a path between two nodes, in whichever direction it leads', async () => {
    await open({ answer: synthetic() });
    await goTo('post_grad');
    const select = async (name) => {
      await panel.tab.fill('#search', name);
      await press('Enter');
      await soon(selectedName).toBe(name);
      await panel.tab.focus('#canvas');
    };
    await select('bmm_3');
    await press('p');
    await soon(() => text('.path-ends')).toBe('bmm_3 → …');
    await select('bmm_2');
    await press('p');
    await soon(() => text('.shown')).toMatch(/^\d+ nodes of 339/);
    const few = Number((await text('.shown')).split(' ')[0]);
    expect(few).toBeGreaterThan(2);
    expect(few).toBeLessThan(40);
    await press('k');
    await soon(() => text('.shown')).not.toContain(`${few} nodes of 339`);
    await press('Escape', 'Escape');
    await soon(() => text('.shown')).toContain('of 339 nodes');
  });

  test('filters combine, and leave nothing together where each alone leaves something', async () => {
    await open();
    await compareJoint();
    await soon(() => text('.shown')).toMatch(/of 523/);
    const line = answers.graphs[stageOf('dynamo').snapshot];
    await panel.send({ type: 'cursor', at: { file: line.files[0], line: 0 } });
    await press('l');
    await soon(() => text('.page')).toContain('No node matches');
    await panel.tab.click('vscode-button:has-text("Clear filters")');
    await soon(() => text('.page')).toBeNull();
    expect((await panel.state()).changedOnly).toBe(false);
    expect((await panel.state()).thisLine).toBe(false);
  });
});

describe('colours', () => {
  const legend = async (by) => {
    await panel.tab.$eval('vscode-single-select.colour-by', (one, value) => {
      one.value = value;
      one.dispatchEvent(new Event('change'));
    }, by);
    await panel.tab.waitForTimeout(100);
    return text('.legend');
  };

  test('each has a legend that counts every node once', async () => {
    await open();
    await goTo('post_grad');
    const size = stageOf('post_grad', 'after', 'forward').nodes;
    for (const by of ['kind', 'module', 'kernel', 'time', 'dtype']) {
      await legend(by);
      const counts = await panel.tab.$$eval('.legend-row .num', (all) =>
        all.map((one) => Number(one.textContent.replaceAll(',', ''))),
      );
      expect(counts.reduce((a, b) => a + b, 0), by).toBe(size);
    }
  });

  test('time says that it was not measured; with a measurement it goes from cold to hot', async () => {
    await open();
    await goTo('post_grad');
    expect(await legend('time')).toContain('No run times were recorded');
    await panel.close();
    const timed = structuredClone(answers);
    const { snapshot } = stageOf('post_grad', 'after', 'forward');
    timed.graphs[snapshot].kernels.forEach((kernel, k) => (kernel.seconds = 0.001 * (k + 1)));
    await open({ answer: recorded(timed) });
    await goTo('post_grad');
    const swatches = await legend('time').then(() =>
      panel.tab.$$eval('.legend .swatch', (all) => all.map((one) => /mark-\w+/.exec(one.className)?.[0])),
    );
    expect(swatches.slice(0, 2)).toEqual(['mark-heat4', 'mark-heat3']);
  });
});

describe('schedule', () => {
  const snapshot = stageOf('scheduler', 'after', 'forward').snapshot;

  test('a box is a call of a kernel, with its operations and lines; G leads to its code', async () => {
    const graph = answers.graphs[snapshot];
    expect(graph.names.length).toBe(graph.kernels.length);
    const at = graph.kernel.findIndex(([k]) => graph.kernels[k].name.includes('softmax'));
    await open({ target: { ...TARGET, snapshot, node: graph.names[at] } });
    await soon(selectedName).toBe(`Kernel ${graph.kernel[at][0] + 1}`);
    const said = await text('.details');
    expect(said).toContain(graph.kernels[graph.kernel[at][0]].name);
    expect(said).toContain(`Ops ${graph.origins[at].length}`);
    await soon(() => text('.details')).toMatch(/Fused from \d lines|From one line/);
    await panel.tab.focus('#canvas');
    await press('g');
    await soon(() => panel.sent('showPanel').map(({ panel: kind, target }) => [kind, target.kernel])).toEqual([
      ['code', graph.kernels[graph.kernel[at][0]].name],
    ]);
  });

  test('it is searched by kernel and by operation', async () => {
    await open({ target: { ...TARGET, snapshot } });
    await panel.tab.fill('#search', 'extern_kernels.bmm');
    const graph = answers.graphs[snapshot];
    const calls = graph.kernels.filter(({ name }) => name === 'extern_kernels.bmm').length;
    await soon(() => text('.found')).toBe(`– of ${calls}`);
  });
});

describe('lineage', () => {
  test('a node is followed from Dynamo to its kernel, and each leads there', async () => {
    const snapshot = stageOf('post_grad', 'after', 'forward').snapshot;
    await open({ target: { ...TARGET, snapshot, node: 'bmm' } });
    await soon(selectedName).toBe('bmm');
    await soon(() => text('.lineage')).toContain('Dynamo matmul');
    expect(await text('.details')).toContain('extern_kernels.bmm');
    await panel.tab.click('.lineage li:first-child button');
    await soon(selectedName).toBe('matmul');
    expect(await panel.tab.getAttribute('[data-key="dynamo"]', 'aria-selected')).toBe('true');
  });
});

describe('export', () => {
  const choose = async (label) => {
    await panel.tab.click('#menu-button');
    await panel.tab.click(`[role=menuitem]:has-text("${label}")`);
  };

  test('files and copies of what is drawn, with hostile names as text', async () => {
    const evil = '</text><script>alert(1)</script>"; x -> y [';
    const graph = structuredClone(answers.graphs[stageOf('dynamo').snapshot]);
    graph.names[3] = evil;
    graph.ops[3] = 'call_function';
    const answer = (method, params) => (method === 'graph' ? { result: graph } : recorded(answers)(method, params));
    await open({ answer });
    for (const label of ['Save as SVG', 'Save as PNG', 'Save as DOT', 'Save as text']) await choose(label);
    await soon(() => panel.sent('saveFile').length).toBe(4);
    const [svg, png, dot, plain] = panel.sent('saveFile').map(({ file }) => file);
    expect(svg.name).toMatch(/^dynamo-.*\.svg$/);
    expect(svg.content).not.toContain('<script');
    const isWell = await panel.tab.evaluate(
      (content) => new DOMParser().parseFromString(content, 'image/svg+xml').querySelector('parsererror') === null,
      svg.content,
    );
    expect(isWell).toBe(true);
    expect(Buffer.from(png.content, 'base64').subarray(1, 4).toString()).toBe('PNG');
    expect(dot.content.match(/^digraph/)).not.toBeNull();
    expect(dot.content.split('\n').filter((line) => line.includes('y [')).length).toBeLessThanOrEqual(1);
    expect(plain.content.trim().split('\n').length).toBe(graph.names.length);
    await choose('Copy as text');
    await soon(() => panel.sent('copy').length).toBe(1);
    expect(panel.sent('copy')[0].text).toBe(plain.content);
  });
});

describe('layout in a worker', () => {
  /** A worker that answers only when the layout is a simple one. */
  function stubborn() {
    const Real = window.Worker;
    window.Worker = class extends Real {
      postMessage(job) {
        if (job.options.simple) super.postMessage(job);
      }
    };
  }

  test('one that takes long can be cancelled, or made simple', async () => {
    await open();
    await goTo('post_grad');
    await panel.tab.addInitScript(stubborn);
    await panel.tab.reload();
    await panel.tab.waitForSelector('.slow', { timeout: 10_000 });
    expect(await text('.slow')).toMatch(/^Still laying out \d+ nodes/);
    await healthy(panel);
    await panel.tab.click('.slow vscode-button:has-text("Simple layout")');
    await soon(() => text('.slow')).toBeNull();
    const shown = stageOf('post_grad', 'after', 'forward').snapshot;
    await soon(drawn).toBe(shown);
    await panel.tab.click('[data-key="joint"]');
    await panel.tab.waitForSelector('.slow', { timeout: 10_000 });
    await panel.tab.click('.slow vscode-button:has-text("Cancel")');
    await soon(() => text('.slow')).toBeNull();
    expect(await drawn()).toBe(shown);
  });
});

describe('a hostile recording', () => {
  test('100,000 nodes, cycles, giant names and markup are shown as text', async () => {
    panel = await run.open('graph', { answer: recorded(answers), target: null });
    await panel.tab.waitForSelector('.page h2');
    // The graph comes from inside the page: to carry it there would take most of the time.
    await panel.tab.evaluate(`window.made = (${hostileGraph})(100_000); 0`);
    await panel.tab.evaluate(
      ([target, compiles, stage]) => {
        const graph = window.made;
        const info = { ...stage, snapshot: 'evil', nodes: graph.names.length, edges: graph.edges.length / 2 };
        const problem = { code: 'gone', title: 'Gone', detail: '', actions: [] };
        window.toHost = (message) => {
          if (message.type !== 'request') return null;
          const results = { stages: { compiles, stages: [info] }, graph };
          const result = results[message.method];
          return { type: 'response', id: message.id, ...(result ? { result } : { problem }) };
        };
        window.postMessage({ type: 'show', target }, '*');
      },
      [TARGET, answers.stages.compiles, stageOf('dynamo')],
    );
    await panel.tab.waitForSelector('#canvas[data-drawn=evil]', { timeout: 60_000 });
    expect(await text('.shown')).toContain('100,000 nodes');
    await panel.tab.fill('#search', 'onerror');
    await press('Enter');
    await expect.poll(selectedName, { timeout: 20_000 }).toContain('<img');
    expect(await panel.tab.$('main img, main script')).toBeNull();
    await press('Alt+l');
    await panel.tab.waitForSelector('[role=treeitem]');
    expect(await panel.tab.title()).toBe('graph');
    expect(panel.errors).toEqual([]);
    expect(await panel.violations()).toEqual([]);
  }, 90_000);

  test('a comparison, passes and a lineage that are not there do no harm', async () => {
    const answer = (method, params) =>
      ['graphDiff', 'passes', 'lineage'].includes(method)
        ? { problem: { code: 'gone', title: 'This snapshot is not there.', detail: '', actions: [] } }
        : recorded(answers)(method, params);
    await open({ answer });
    await goTo('joint');
    await panel.tab.focus('#canvas');
    await press('d');
    await soon(() => text('.page')).toContain('This snapshot is not there.');
    await panel.tab.click('[data-key="dynamo"]');
    await soon(() => text('.page')).toBeNull();
    await panel.tab.focus('#canvas');
    await press('Home');
    await soon(selectedName).not.toBeNull();
    expect(panel.errors).toEqual([]);
  });
});

describe.each(['dark', 'light', 'hc'])('looks in %s', (theme) => {
  test('comparison, schedule, filters and menu are accessible', async () => {
    await open({ theme });
    await goTo('scheduler');
    await panel.tab.fill('#search', 'softmax');
    await press('Enter');
    await soon(selectedName).toMatch(/^Kernel/);
    await soon(() => text('.details')).toMatch(/Fused from \d lines/);
    await healthy(panel);
    await panel.shot(`graph-kernel-${theme}`);
    await panel.tab.fill('#search', '');
    await compareJoint();
    await healthy(panel);
    await panel.shot(`graph-diff-stage-${theme}`);
    const pass = passes.findLast(({ matches }) => matches.length > 0) ?? passes[0];
    await panel.send({ type: 'show', target: { ...TARGET, compileId: pass.compileId, snapshot: pass.after, pass: pass.order } });
    await soon(drawn).toBe(`${pass.before}:${pass.after}`);
    await press('F7');
    await soon(() => text('.bar.diff .at')).toMatch(/^change 1/);
    await healthy(panel);
    await panel.shot(`graph-diff-${theme}`);
    await press('Alt+l');
    await panel.tab.waitForSelector('[role=tree]');
    await healthy(panel);
    await panel.shot(`graph-diff-list-${theme}`);
    await press('Alt+l');
    await goTo('post_grad');
    await panel.tab.fill('#search', 'bmm');
    await press('Enter');
    await soon(selectedName).toBe('bmm');
    await panel.tab.focus('#canvas');
    await press('k', 'k');
    await soon(() => text('.shown')).toMatch(/nodes of 228/);
    await panel.tab.click('#menu-button');
    await panel.tab.waitForSelector('[role=menu]');
    await healthy(panel);
    await panel.shot(`graph-filter-${theme}`);
  });
});
