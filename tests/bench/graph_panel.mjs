// How quickly the graph panel shows and moves a graph of 20,000 nodes, beside general layout libraries on the same graph,
// and steps through 50 passes. Budgets: first paint ≤ 1 s, a frame ≤ 16 ms. A step's time
// has the way of its answer from this process into the page in it, which VS Code does not take.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { start, TARGET } from '../webview/harness.mjs';
import { forwardGraph } from '../webview/synthetic.mjs';
import { passChain } from './pass_chain.mjs';

const LAYERS = Number(process.argv[2] ?? 265);
const HUGE_LAYERS = 1325;
const FRAMES = 60;
const PASSES = 50;
const STEP_LAYERS = 26;
const LIBRARY_DEADLINE_S = 60;

const graph = forwardGraph('big', LAYERS);
const size = graph.names.length;
const info = {
  graph: '0/0/forward',
  stage: 'dynamo',
  position: 'after',
  label: 'Dynamo',
  snapshot: 'big',
  nodes: size,
  edges: graph.edges.length / 2,
  unavailable: null,
};
const stages = { compiles: [{ id: '0/0', title: '0/0  big' }], stages: [info] };
const answer = (method) => ({ result: method === 'stages' ? stages : method === 'lineage' ? { steps: [], kernels: [], lines: [] } : graph });

const sorted = (values) => [...values].sort((a, b) => a - b);
const at = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))];

/** Durations of our own work in each frame, and of whole frames, while the wheel turns. */
async function pan(tab, dy) {
  await tab.mouse.move(400, 400);
  return tab.evaluate(
    async ([count, step]) => {
      const canvas = document.getElementById('canvas');
      const [work, frames] = [[], []];
      const original = window.requestAnimationFrame;
      window.requestAnimationFrame = (done) =>
        original((time) => {
          const from = performance.now();
          done(time);
          work.push(performance.now() - from);
        });
      let last = performance.now();
      for (let i = 0; i < count; i++) {
        canvas.dispatchEvent(
          new WheelEvent('wheel', { deltaY: step, clientX: 400, clientY: 400, bubbles: true, cancelable: true }),
        );
        await new Promise((done) => original(done));
        const now = performance.now();
        frames.push(now - last);
        last = now;
      }
      window.requestAnimationFrame = original;
      return { work, frames };
    },
    [FRAMES, dy],
  );
}

async function measure(run, name, open, scale) {
  const panel = await run.open('graph', { answer, target: null });
  const { tab } = panel;
  await tab.waitForSelector('.page h2');
  const drawn = await tab.evaluate(
    async ([target, result]) => {
      const send = (data) => window.postMessage(data, '*');
      const api = window.toHost;
      // Answers come from inside the page, so that the time to carry them is not counted.
      window.toHost = async (message) => {
        if (message.type !== 'request') return null;
        return {
          type: 'response',
          id: message.id,
          result: message.method === 'stages' ? result.stages : JSON.parse(result.text),
        };
      };
      const from = performance.now();
      send({ type: 'show', target });
      while (!document.querySelector('.legend-row')) await new Promise((done) => setTimeout(done, 1));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      window.toHost = api;
      return performance.now() - from;
    },
    [TARGET, { stages, text: JSON.stringify(graph) }],
  );
  let opened = 0;
  if (open) {
    await panel.tab.waitForTimeout(300);
    const ids = await allGroups();
    const state = await panel.state();
    await tab.evaluate((next) => sessionStorage.setItem('state', JSON.stringify(next)), {
      ...state,
      open: ids,
      camera: { x: 0, y: 2000, scale },
      cameraOf: 'big',
    });
    panel.setTarget(TARGET);
    const from = Date.now();
    await tab.reload();
    await tab.waitForSelector('.legend-row', { timeout: 60_000 });
    opened = Date.now() - from;
    await tab.waitForTimeout(1500);
  }
  const { work, frames } = await pan(tab, 60);
  const shown = await tab.textContent('.shown');
  console.log(
    `${name}: first paint ${drawn.toFixed(0)} ms${opened ? `, all open after a reload ${opened} ms` : ''}; ` +
      `pan work median ${at(work, 0.5).toFixed(1)} ms, p95 ${at(work, 0.95).toFixed(1)} ms; frame median ${at(frames, 0.5).toFixed(1)} ms, p95 ${at(frames, 0.95).toFixed(1)} ms (${shown})`,
  );
  await panel.close();
  return { drawn, work: at(work, 0.5) };
}

/** Ids of all groups, from the panel's own modules. */
async function allGroups() {
  const from = (name) => fileURLToPath(new URL(`../../extension/webview/graph/${name}`, import.meta.url));
  const contents = `export { buildTree } from ${JSON.stringify(from('groups.ts'))}; export { buildGraph } from ${JSON.stringify(from('model.ts'))};`;
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: '.' },
    bundle: true,
    write: false,
    format: 'esm',
  });
  const { buildTree, buildGraph } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return [...buildTree(buildGraph(graph)).groups.keys()].filter(Boolean);
}

/** What a general library makes of the whole graph at once, in a process that may be ended. */
function library(name) {
  const script = fileURLToPath(new URL('other_layouts.mjs', import.meta.url));
  const { stdout, error } = spawnSync(process.execPath, [script, name, String(LAYERS)], {
    timeout: LIBRARY_DEADLINE_S * 1000,
    encoding: 'utf8',
  });
  const said = stdout?.trim();
  console.log(`${name}: ${error?.code === 'ETIMEDOUT' ? `not done after ${LIBRARY_DEADLINE_S} s` : said || 'ended without a word'}`);
}

/** Time of each step through 50 passes of one graph, of the changed nodes and of the whole graph. */
async function step(run, isWhole) {
  const chain = passChain(forwardGraph('p', STEP_LAYERS), PASSES);
  const reply = (method, params) => {
    if (method === 'stages') return { result: { compiles: [{ id: '0/0', title: '0/0  big' }], stages: chain.stages } };
    if (method === 'passes') return { result: { compiles: [], passes: chain.passes, unrun: [] } };
    if (method === 'graphDiff') return { result: chain.diffs.get(`${params.before}:${params.after}`) };
    if (method === 'lineage') return { result: { steps: [], kernels: [], lines: [] } };
    return { result: chain.graphs.get(params.snapshot) };
  };
  const panel = await run.open('graph', { answer: reply, target: TARGET });
  await panel.tab.waitForSelector('.legend-row');
  await panel.tab.focus('#canvas');
  await panel.tab.keyboard.press('.');
  await panel.tab.waitForSelector('.bar.diff');
  if (isWhole) await panel.tab.keyboard.press('c');
  await panel.tab.waitForTimeout(500);
  const times = await panel.tab.evaluate(async (count) => {
    const drawn = () => document.getElementById('canvas').dataset.drawn;
    const found = [];
    for (let p = 1; p < count; p++) {
      const from = performance.now();
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '.', bubbles: true, composed: true }));
      while (drawn() !== `p${p}:p${p + 1}`) await new Promise((done) => setTimeout(done));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      found.push(performance.now() - from);
    }
    return found;
  }, PASSES);
  await panel.close();
  const nodes = chain.stages[0].nodes;
  const what = isWhole ? 'whole graph' : 'changed only';
  console.log(
    `${times.length} steps through passes of ${nodes} nodes, ${what}: median ${at(times, 0.5).toFixed(0)} ms, p95 ${at(times, 0.95).toFixed(0)} ms, all ${(times.reduce((a, b) => a + b, 0) / 1000).toFixed(1)} s`,
  );
  return at(times, 0.5);
}

/** How long the page is held up at a time while it opens a graph of 100,000 nodes, and while it searches in it. */
async function longTasks(run) {
  const huge = JSON.stringify(forwardGraph('huge', HUGE_LAYERS));
  const nodes = JSON.parse(huge).names.length;
  const panel = await run.open('graph', { answer, target: null });
  await panel.tab.waitForSelector('.page h2');
  const found = await panel.tab.evaluate(
    async ([target, stagesOf, text]) => {
      const tasks = [];
      const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((one) => one.duration)));
      const settled = async (isDone) => {
        while (!isDone()) await new Promise((done) => setTimeout(done, 20));
        await new Promise((done) => setTimeout(done, 500));
        return tasks.splice(0);
      };
      const graph = JSON.parse(text);
      window.toHost = async (message) => {
        if (message.type !== 'request') return null;
        return { type: 'response', id: message.id, result: message.method === 'stages' ? stagesOf : graph };
      };
      // The copy of the answer that a message makes is the browser's own and can't be divided.
      const from = performance.now();
      structuredClone(graph);
      const copy = performance.now() - from;
      await new Promise((done) => setTimeout(done, 500));
      observer.observe({ type: 'longtask' });
      window.postMessage({ type: 'show', target }, '*');
      const opening = await settled(() => document.querySelector('.legend') !== null);
      const box = document.querySelector("[aria-label='Search nodes']");
      box.value = 'bmm';
      box.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
      return { copy, opening, searching: await settled(() => true) };
    },
    [TARGET, stages, huge],
  );
  await panel.close();
  const say = (tasks) => `${tasks.length} tasks over 50 ms${tasks.length > 0 ? `, longest ${Math.max(...tasks)} ms` : ''}`;
  console.log(
    `${nodes} nodes: opening ${say(found.opening)} (a copy of the answer alone takes ${found.copy.toFixed(0)} ms); searching ${say(found.searching)}`,
  );
}

console.log(`${size} nodes, ${graph.edges.length / 2} edges`);
const run = await start();
const closed = await measure(run, 'groups closed', false);
const near = await measure(run, 'all groups open, readable', true, 1);
const far = await measure(run, 'all groups open, far away', true, 0.1);
await longTasks(run);
await step(run, false);
await step(run, true);
await run.stop();
for (const name of ['dagre', 'd3-dag']) library(name);
const over = [closed.drawn > 1000 && 'first paint', [closed, near, far].some(({ work }) => work > 16) && 'pan'].filter(
  Boolean,
);
if (over.length > 0) {
  console.log(`over budget: ${over.join(', ')}`);
  process.exitCode = 1;
}
