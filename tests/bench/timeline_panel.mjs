// How quickly the timeline panel shows and moves 200,000 spans. Budgets: first paint ≤ 1 s, a frame's own work ≤ 16 ms.
import { start, TARGET } from '../webview/harness.mjs';

const SPANS = Number(process.argv[2] ?? 200_000);
const FRAMES = 120;

const sorted = (values) => [...values].sort((a, b) => a - b);
const at = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))];

/** In the page: a run with so many spans, of all lengths, six deep. */
function make(count) {
  const rows = 6;
  const lanes = 3;
  const spans = { lane: [], row: [], parent: [], start: [], time: [], own: [], stage: [], name: [], label: [] };
  for (const key of ['compile', 'graph', 'kernel', 'place']) spans[key] = new Array(count).fill(-1);
  const columns = count / (rows * lanes);
  for (let lane = 0; lane < lanes; lane++) {
    for (let column = 0; column < columns && spans.lane.length < count; column++) {
      for (let row = 0; row < rows && spans.lane.length < count; row++) {
        const span = spans.lane.length;
        const time = Math.max(1, 900 - row * 140 - ((span * 7919) % 130));
        spans.lane.push(lane);
        spans.row.push(row);
        spans.parent.push(row === 0 ? -1 : span - 1);
        spans.start.push(column * 1000 + row * 60);
        spans.time.push(time);
        spans.own.push(60);
        spans.stage.push((span * 31) % 8);
        spans.name.push(span % 50);
        spans.label.push(span % 50);
      }
    }
  }
  const stages = ['capture', 'aot', 'pass', 'lower', 'codegen', 'compiler', 'wait', 'guard', 'execute'];
  return {
    time: Math.ceil(columns) * 1000,
    running: false,
    compiles: [],
    compileTitles: [],
    stages: stages.map((key) => ({ key, title: key })),
    texts: Array.from({ length: 50 }, (_, n) => `span_with_a_name_${n}`),
    places: [],
    lanes: Array.from({ length: lanes }, (_, n) => ({ name: `Rank ${n}`, kind: 'thread', process: n, pid: n, rank: n, rows })),
    spans,
    open: [],
    steps: [],
    marks: [],
    costs: [{ compileId: null, place: null, what: 'all', stage: 0, time: 1 }],
    capture: 1,
    compile: 1,
    guard: 1,
    execute: 1,
    overhead: null,
  };
}

const run = await start();
const { tab } = await run.open('timeline', { answer: () => ({ result: null }), target: null });
await tab.waitForSelector('.page h2');
await tab.evaluate(`window.big = JSON.stringify((${make})(${SPANS})); 0`);
const first = await tab.evaluate(async (target) => {
  // Answers come from inside the page, so that the time to carry them is not counted.
  window.toHost = async (message) =>
    message.type === 'request' ? { type: 'response', id: message.id, result: JSON.parse(window.big) } : null;
  const from = performance.now();
  window.postMessage({ type: 'show', target }, '*');
  while (!document.querySelector('.cost')) await new Promise((done) => setTimeout(done, 1));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - from;
}, TARGET);

/** Durations of our own work in each frame while the wheel turns: zooming in and out, then along. */
async function frames(wheel) {
  return tab.evaluate(
    async ([count, step, shift]) => {
      const chart = document.querySelector('.flame');
      const work = [];
      const original = window.requestAnimationFrame;
      window.requestAnimationFrame = (done) =>
        original((time) => {
          const from = performance.now();
          done(time);
          work.push(performance.now() - from);
        });
      for (let frame = 0; frame < count; frame++) {
        const deltaY = frame % 20 < 10 ? step : -step;
        const event = { deltaY, shiftKey: shift, clientX: 700, clientY: 300, bubbles: true, cancelable: true };
        chart.dispatchEvent(new WheelEvent('wheel', event));
        await new Promise((done) => original(done));
      }
      window.requestAnimationFrame = original;
      return work;
    },
    [FRAMES, ...wheel],
  );
}

const say = (name, value, budget) =>
  console.log(`${name.padEnd(44)}${value.toFixed(1).padStart(8)} ms  ${value <= budget ? '<=' : 'NOT <='} ${budget}`);
console.log(`${SPANS.toLocaleString('en-US')} spans in three lanes`);
say('first paint, JSON included', first, 1000);
for (const [name, wheel] of [
  ['zoom, own work in a frame, median', [-120, false]],
  ['pan, own work in a frame, median', [60, true]],
]) {
  const work = await frames(wheel);
  say(name, at(work, 0.5), 16);
  say(name.replace('median', '95 %'), at(work, 0.95), 16);
}
await run.stop();
