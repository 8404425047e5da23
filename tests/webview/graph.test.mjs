import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { healthy, soon } from './checks.mjs';
import { start, TARGET } from './harness.mjs';
import { load, recorded } from './recorded.mjs';
import { recording as synthetic } from './synthetic.mjs';

let run;
let panel;
const answers = load();
const stageOf = (stage, position = 'after', graph = '') =>
  answers.stages.stages.find(
    (info) => info.stage === stage && info.position === position && info.graph.endsWith(graph),
  );

beforeAll(async () => {
  run = await start();
});
afterAll(() => run?.stop());
afterEach(() => panel?.close());

async function open(options = {}) {
  panel = await run.open('graph', { answer: recorded(answers), target: TARGET, ...options });
  // In a narrow panel the stages are a menu, and the tabs are hidden.
  await panel.tab.waitForSelector('[role=tab][aria-selected=true], .page h2, .page p', { state: 'attached' });
  return panel;
}

const textContent = (selector) =>
  panel.tab.$eval(selector, (one) => one.textContent.replace(/\s+/g, ' ').trim()).catch(() => null);
const selectedName = () => textContent('.details h2');
const press = async (...keys) => {
  for (const key of keys) await panel.tab.keyboard.press(key);
};
const goTo = async (key) => {
  await soon(async () => (await panel.state())?.cameraOf ?? null).not.toBeNull();
  const before = (await panel.state()).cameraOf;
  await panel.tab.click(`[data-key="${key}"]`);
  await soon(() => panel.tab.getAttribute(`[data-key="${key}"]`, 'aria-selected')).toBe('true');
  await soon(async () => (await panel.state()).cameraOf).not.toBe(before);
};

/** A place on the canvas where a click selects this box. */
const find = async (name) => {
  const { x, y, width, height } = await panel.tab.locator('#canvas').boundingBox();
  for (let at = 10; at < height; at += 12) {
    await panel.tab.mouse.click(x + width / 2, y + at);
    if ((await selectedName()) === name) return [x + width / 2, y + at];
  }
  throw new Error(`no ${name} on the canvas`);
};

describe('content', () => {
  test('the stage bar follows the graph and gives nodes and Δ of the recording', async () => {
    await open();
    const tabs = await panel.tab.$$eval('[role=tab]', (all) =>
      all.map((one) => one.textContent.replace(/\s+/g, ' ').trim()),
    );
    const [before, after] = [stageOf('joint', 'before'), stageOf('joint')];
    const delta = before.nodes - after.nodes + before.edges - after.edges;
    expect(tabs[0]).toBe(`Dynamo ${stageOf('dynamo').nodes}`);
    expect(tabs[2]).toBe(`AOT ${stageOf('aot').nodes}`);
    expect(tabs[3]).toBe(`Joint ${after.nodes} Δ ${String(delta).replace('-', '\u2212')}`);
    expect(tabs.map((text) => text.split(' ')[0])).toEqual([
      'Dynamo',
      'Pre-grad',
      'AOT',
      'Joint',
      'Forward',
      'Backward',
      'Post-grad',
      'Scheduler',
    ]);
    expect(tabs[7]).toBe(`Scheduler ${stageOf('scheduler', 'before').nodes} → ${stageOf('scheduler').nodes}`);
    await soon(() => textContent('.foot')).toContain(
      `Dynamo · ${stageOf('dynamo').nodes} nodes, ${stageOf('dynamo').edges} edges`,
    );
  });

  test('the legend counts every node once', async () => {
    await open();
    await goTo('post_grad');
    await soon(() => textContent('.foot')).toContain('Post-grad');
    const counts = await panel.tab.$$eval('.legend-row span:last-child', (all) =>
      all.map((one) => Number(one.textContent)),
    );
    expect(counts.reduce((a, b) => a + b, 0)).toBe(stageOf('post_grad', 'after', 'forward').nodes);
  });

  test('details of a node are those of the recording', async () => {
    await open({ target: { ...TARGET, snapshot: stageOf('post_grad', 'after', 'forward').snapshot, node: 'bmm' } });
    await soon(selectedName).toBe('bmm');
    const graph = answers.graphs[stageOf('post_grad', 'after', 'forward').snapshot];
    const at = graph.names.indexOf('bmm');
    const text = await textContent('.details');
    expect(text).toContain(graph.targets[at]);
    expect(text).toContain(graph.shapes[at]);
    expect(text).toContain(`train_transformer.py:${graph.line[at] + 1}`);
    const inputs = graph.edges.filter((_, e) => e % 2 === 0 && graph.edges[e + 1] === at).map((i) => graph.names[i]);
    expect(text).toContain(`Inputs ${inputs.length}`);
    for (const name of inputs) expect(text).toContain(name);
    const expression = await panel.tab.textContent('.source u');
    expect(graph.code[at].slice(graph.column[at], graph.endColumn[at])).toBe(expression);
  });

  test('a kernel lists the operations it is made of, and leads back to them', async () => {
    const snapshot = stageOf('scheduler', 'after', 'forward').snapshot;
    const graph = answers.graphs[snapshot];
    const at = graph.origins.findIndex((names) => names.length > 2);
    await open({ target: { ...TARGET, snapshot, node: graph.names[at] } });
    await soon(selectedName).toBe(`Kernel ${graph.kernel[at][0] + 1}`);
    const origin = graph.origins[at][0];
    await panel.tab.click(`.details button:has-text("${origin}")`);
    await soon(selectedName).toBe(origin);
    expect(await panel.tab.getAttribute('[data-key="post_grad"]', 'aria-selected')).toBe('true');
  });

  test('what a recording says is text, never markup', async () => {
    const evil = '<img src=x onerror="document.title=1">';
    const graph = structuredClone(answers.graphs[stageOf('dynamo').snapshot]);
    graph.names[3] = evil;
    graph.targets[3] = evil;
    const answer = (method, params) => (method === 'graph' ? { result: graph } : recorded(answers)(method, params));
    await open({ answer, target: { ...TARGET, node: evil } });
    await soon(selectedName).toBe(evil);
    expect(await panel.tab.$('img')).toBeNull();
  });
});

describe('keyboard', () => {
  test('walks along edges, opens and closes groups, goes to the source', async () => {
    await open({ answer: synthetic() });
    await panel.tab.focus('#canvas');
    await press('Home');
    await soon(selectedName).toBe('l_idx_');
    await press('ArrowDown');
    await soon(selectedName).toBe('wte');
    await press('ArrowDown', 'ArrowDown');
    await soon(selectedName).toBe('layers.0');
    await press('ArrowRight');
    await soon(async () => (await panel.state()).open).toContain('layers.0');
    await press('ArrowDown');
    await soon(selectedName).toBe('layers.0.ln_1');
    await press('ArrowDown');
    await soon(selectedName).toBe('layers.0.attn');
    await press('Enter', 'ArrowDown', 'ArrowDown');
    await soon(selectedName).toBe('view');
    await press('Enter');
    await soon(() => panel.sent('openSource').length).toBe(1);
    expect(panel.sent('openSource')[0].place).toMatchObject({ file: '/home/user/project/train_gpt.py', line: 16 });
    await press('ArrowUp', 'ArrowLeft');
    await soon(selectedName).toBe('layers.0.attn');
    await press('ArrowLeft');
    await soon(async () => (await panel.state()).open).not.toContain('layers.0/attn');
  });

  test('[ and ] change the stage, also onto one that was not recorded', async () => {
    await open({ answer: synthetic() });
    await panel.tab.focus('#canvas');
    await press(']');
    await soon(() => textContent('.page')).toContain('Pre-grad was not recorded');
    expect(await textContent('.page')).toContain('needs torch 2.7');
    expect(await panel.tab.$('.page vscode-button')).toBeNull();
    await panel.tab.focus('[data-key="pre_grad"]');
    await press('ArrowRight');
    await soon(() => panel.tab.getAttribute('[data-key="joint"]', 'aria-selected')).toBe('true');
  });

  test('the search counts, steps through closed groups, and Escape leads back', async () => {
    await open({ answer: synthetic() });
    await goTo('post_grad');
    await panel.tab.focus('#canvas');
    await press('f');
    expect(await panel.tab.evaluate(() => document.activeElement.id)).toBe('search');
    await panel.tab.keyboard.type('bmm');
    await soon(() => textContent('.found')).toBe('– of 8');
    await press('Enter');
    await soon(selectedName).toBe('bmm');
    await soon(() => textContent('.found')).toBe('1 of 8');
    await press('Enter', 'Enter');
    await soon(selectedName).toBe('bmm_2');
    await press('Shift+Enter');
    await soon(selectedName).toBe('bmm_1');
    expect((await panel.state()).open).toEqual(expect.arrayContaining(['layers.0', 'layers.0/attn']));
    await press('Escape');
    expect(await panel.tab.inputValue('#search')).toBe('');
    await soon(selectedName).toBe('bmm_1');
    await press('Escape');
    await soon(() => panel.tab.$('.details-empty')).not.toBeNull();
  });

  test('K shows neighbours, one step more each time; Escape shows all', async () => {
    await open({ answer: synthetic() });
    await goTo('post_grad');
    await panel.tab.fill('#search', 'bmm');
    await press('Enter');
    await soon(selectedName).toBe('bmm');
    await panel.tab.focus('#canvas');
    await press('k');
    await soon(() => textContent('.shown')).toBe('4 nodes of 339');
    await press('k');
    await soon(() => textContent('.shown')).toBe('7 nodes of 339');
    await press('Escape');
    await soon(() => textContent('.shown')).toContain('of 339 nodes');
  });

  test('L shows the nodes of the line at the cursor, and says when there are none', async () => {
    await open({ answer: synthetic() });
    await goTo('post_grad');
    await panel.send({ type: 'cursor', at: { file: '/home/user/project/train_gpt.py', line: 17 } });
    await soon(() => textContent('.tools')).toContain('train_gpt.py:18');
    await panel.tab.focus('#canvas');
    await press('l');
    await soon(() => textContent('.shown')).toContain('of 339');
    await panel.send({ type: 'cursor', at: { file: '/home/user/project/train_gpt.py', line: 1 } });
    await soon(() => textContent('.page')).toContain('No node matches');
    await panel.tab.click('vscode-button:has-text("Clear filters")');
    await soon(() => textContent('.shown')).toContain('of 339 nodes');
  });

  test('? lists all keys; letters do nothing while one types', async () => {
    await open();
    await panel.tab.focus('#canvas');
    await press('?');
    await soon(() => textContent('[role=dialog]')).toContain('neighbours of the selection');
    await press('Escape');
    await soon(() => panel.tab.$('[role=dialog]')).toBeNull();
    await panel.tab.focus('#search');
    await panel.tab.keyboard.type('kl?');
    expect(await panel.tab.inputValue('#search')).toBe('kl?');
    expect((await panel.state()).thisLine).toBe(false);
  });
});

describe('list', () => {
  test('Alt+L shows the same nodes as a tree, with the same selection', async () => {
    await open({ answer: synthetic() });
    await goTo('post_grad');
    await panel.tab.fill('#search', 'bmm_3');
    await press('Enter');
    await soon(selectedName).toBe('bmm_3');
    await press('Alt+l');
    await soon(() => panel.tab.textContent('[role=treeitem][aria-selected=true]')).toContain('bmm_3');
    const level = await panel.tab.getAttribute('[role=treeitem][aria-selected=true]', 'aria-level');
    expect(level).toBe('3');
    await press('ArrowDown');
    // A chain of views is one box.
    await soon(selectedName).toMatch(/^layers\.1\.attn\.(view|permute|clone).* → /);
    await press('ArrowRight');
    await soon(() => panel.tab.locator('[role=treeitem][aria-level="4"]').count()).toBeGreaterThan(0);
    await press('ArrowDown');
    await soon(selectedName).toBe('view_16');
    await press('ArrowLeft', 'ArrowLeft', 'ArrowLeft');
    await soon(selectedName).toBe('layers.1.attn');
    await press('ArrowLeft');
    await soon(async () => (await panel.state()).open).not.toContain('layers.1/attn');
    expect(await panel.tab.evaluate(() => document.activeElement.getAttribute('role'))).toBe('tree');
    await press('Alt+l');
    await soon(() => panel.tab.isVisible('#canvas')).toBe(true);
  });

  test('its place in a long list is there again after a reload', async () => {
    await open({ answer: synthetic() });
    await goTo('post_grad');
    await panel.tab.fill('#search', 'bmm_3');
    await press('Enter', 'Alt+l');
    await soon(() => panel.tab.$('#list')).not.toBeNull();
    await panel.tab.$eval('#list', (list) => (list.scrollTop = 300));
    await soon(async () => (await panel.state()).scroll).toBe(300);
    await panel.tab.reload();
    await soon(() => panel.tab.$eval('#list', (list) => list.scrollTop)).toBe(300);
  });
});

describe('mouse', () => {
  test('a click selects, a double click opens, and the header stays under the pointer', async () => {
    await open({ answer: synthetic() });
    await goTo('post_grad');
    const [x, y] = await find('layers.1');
    await panel.tab.mouse.dblclick(x, y);
    await soon(async () => (await panel.state()).open).toContain('layers.1');
    await soon(() => panel.tab.textContent('.details vscode-button')).toContain('Close group');
    await panel.tab.mouse.click(400, 80);
    await soon(selectedName).toBeNull();
    await panel.tab.mouse.click(x, y);
    await soon(selectedName).toBe('layers.1');
  });

  test('the details can be made wider, by mouse and by keys, within bounds', async () => {
    await open();
    const bar = panel.tab.locator('[role=separator]');
    const width = () => panel.tab.$eval('.details', (one) => one.offsetWidth).catch(() => null);
    await soon(width).toBe(320);
    const { x, y } = await bar.boundingBox();
    await panel.tab.mouse.move(x + 2, y + 200);
    await panel.tab.mouse.down();
    await panel.tab.mouse.move(x - 58, y + 200, { steps: 4 });
    await panel.tab.mouse.up();
    await soon(width).toBe(380);
    await bar.focus();
    await press('ArrowRight');
    await soon(width).toBe(364);
    for (let i = 0; i < 12; i++) await press('ArrowLeft');
    await soon(width).toBe(480);
    await panel.tab.reload();
    await soon(width).toBe(480);
  });

  test('wheel pans, control wheel zooms between 0.1 and 4', async () => {
    await open({ answer: synthetic() });
    await soon(async () => (await panel.state()).camera).not.toBeNull();
    const first = (await panel.state()).camera;
    await panel.tab.mouse.move(400, 400);
    await panel.tab.mouse.wheel(0, 120);
    await soon(async () => (await panel.state()).camera.y).toBeGreaterThan(first.y);
    await panel.tab.keyboard.down('Control');
    for (let i = 0; i < 30; i++) await panel.tab.mouse.wheel(0, -100);
    await soon(async () => (await panel.state()).camera.scale).toBe(4);
    for (let i = 0; i < 60; i++) await panel.tab.mouse.wheel(0, 100);
    await panel.tab.keyboard.up('Control');
    await soon(async () => (await panel.state()).camera.scale).toBeCloseTo(0.1);
  });
});

describe('camera', () => {
  const camera = async () => (await panel.state())?.camera ?? null;
  const size = async (width, height) => {
    await panel.tab.setViewportSize({ width, height });
    await panel.tab.waitForTimeout(300);
  };

  test('a resize frames the graph anew until the user moves the camera', async () => {
    await open({ width: 510, height: 700 });
    await soon(async () => (await camera())?.framing).toBe('start');
    const narrow = await camera();
    await size(1020, 700);
    const wide = await camera();
    expect(wide.scale).toBeGreaterThan(narrow.scale);
    expect(wide.scale).toBeLessThanOrEqual(1.25);
    await size(510, 700);
    expect(await camera()).toEqual(narrow);
    await panel.tab.mouse.move(250, 300);
    await panel.tab.mouse.wheel(0, 40);
    await soon(async () => (await camera()).framing).toBeNull();
    const moved = await camera();
    await size(1020, 700);
    expect(await camera()).toEqual(moved);
    await panel.tab.focus('#canvas');
    await press('0');
    await soon(async () => (await camera()).framing).toBe('whole');
    await size(510, 700);
    expect((await camera()).scale).toBeLessThan((moved.scale + wide.scale) / 2);
  });

  test('what is selected stays in view when the details open beside or below the graph', async () => {
    for (const [width, height] of [
      [510, 560],
      [1020, 420],
    ]) {
      await open({ width, height });
      await soon(async () => (await camera())?.framing).toBe('start');
      await panel.tab.focus('#canvas');
      await press('End');
      await soon(selectedName).toBe('output');
      await panel.tab.waitForTimeout(300);
      await find('output');
      await panel.close();
    }
  });

  test('legend, minimap and zoom buttons never lie on each other', async () => {
    await open();
    await panel.tab.fill('#search', 'flatten');
    await press('Enter');
    await soon(selectedName).toBe('flatten');
    for (const [width, height] of [360, 510, 600, 721, 800, 1020, 1400].flatMap((w) => [340, 480, 760].map((h) => [w, h]))) {
      await size(width, height);
      const boxes = await panel.tab.$$eval('.card', (cards) =>
        cards.map((card) => card.getBoundingClientRect().toJSON()).filter((box) => box.width > 0),
      );
      const { width: room, height: below } = await panel.tab.locator('.drawing').boundingBox();
      expect(room, `${width}`).toBeGreaterThanOrEqual(320);
      for (const [i, a] of boxes.entries()) {
        for (const b of boxes.slice(i + 1)) {
          const isApart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
          expect(isApart, `${width} x ${height} (${below})`).toBe(true);
        }
      }
    }
  });
});

describe('state', () => {
  test('everything is there again after a reload', async () => {
    await open({ answer: synthetic() });
    await goTo('post_grad');
    await panel.tab.fill('#search', 'bmm');
    await press('Enter', 'Enter');
    await soon(selectedName).toBe('bmm_1');
    await panel.tab.waitForTimeout(200);
    const before = await panel.state();
    expect(before.target).toMatchObject({ recording: TARGET.recording, compileId: '0/0' });
    await panel.tab.reload();
    await soon(selectedName).toBe('bmm_1');
    await panel.tab.waitForTimeout(200);
    expect(await panel.state()).toEqual(before);
    expect(await panel.tab.inputValue('#search')).toBe('bmm');
    expect(await panel.tab.getAttribute('[data-key="post_grad"]', 'aria-selected')).toBe('true');
  });

  test('state of another version, or of things that are gone, does no harm', async () => {
    await open({ answer: synthetic() });
    await soon(async () => (await panel.state()).stage).toBe('dynamo');
    const state = await panel.state();
    await panel.tab.evaluate((old) => sessionStorage.setItem('state', JSON.stringify(old)), {
      ...state,
      stage: 'lost',
      compileId: '9/9',
      node: 'gone',
      group: null,
      open: ['nowhere'],
    });
    await panel.tab.reload();
    await soon(() => panel.tab.getAttribute('[data-key="dynamo"]', 'aria-selected')).toBe('true');
    await panel.tab.evaluate(() => sessionStorage.setItem('state', '{"version":99,"stage":7}'));
    await panel.tab.reload();
    await soon(() => panel.tab.getAttribute('[data-key="dynamo"]', 'aria-selected')).toBe('true');
    expect(panel.errors).toEqual([]);
  });
});

describe('empty, loading, error', () => {
  test('nothing recorded: the way to a recording', async () => {
    await open({ target: null });
    await soon(() => textContent('.page')).toContain('No recording yet');
    await panel.tab.click('vscode-button:has-text("Compile and trace")');
    await soon(() => panel.sent('action').map(({ action }) => action)).toEqual(['trace']);
    await healthy(panel);
  });

  test('a problem shows its words and its ways out', async () => {
    const problem = {
      code: 'gone',
      title: 'The recording is gone',
      detail: '/tmp/x was deleted.',
      actions: ['compilescope.openRecording'],
    };
    await open({ answer: () => ({ problem }) });
    await soon(() => textContent('.page')).toContain('The recording is gone /tmp/x was deleted.');
    await panel.tab.click('vscode-button:has-text("Open recording")');
    await soon(() => panel.sent('command').map(({ command }) => command)).toEqual(['compilescope.openRecording']);
    await healthy(panel);
  });

  test('a run that compiled nothing says so', async () => {
    await open({ answer: () => ({ result: { compiles: [], stages: [] } }) });
    await soon(() => textContent('.page')).toContain('No graph was recorded');
  });

  test.each([
    ['capture', 'Trace at full depth', 'traceFull'],
    ['cache', 'Trace without caches', 'traceWithoutCaches'],
  ])('a stage that is not there because of %s offers the way to it', async (cause, label, action) => {
    const answer = (method, params) => {
      const full = synthetic()(method, params);
      if (method !== 'stages') return full;
      const stages = full.result.stages.map((info) => (info.stage === 'pre_grad' ? { ...info, cause } : info));
      return { result: { ...full.result, stages } };
    };
    await open({ answer });
    await panel.tab.click('[data-key="pre_grad"]');
    await panel.tab.click(`vscode-button:has-text("${label}")`);
    await soon(() => panel.sent('action').map((message) => message.action)).toEqual([action]);
  });

  test('a compile without any stage says why, and the others can be picked', async () => {
    const note = 'This function runs in eager, so it has no graph.';
    const answer = (method, params) =>
      params.compileId === '1/0'
        ? { result: { compiles: synthetic()('stages', params).result.compiles, stages: [], note } }
        : synthetic()(method, params);
    await open({ answer, target: { ...TARGET, compileId: '1/0' } });
    await soon(() => textContent('.page')).toContain(note);
    expect(await panel.tab.$('vscode-single-select.compile')).not.toBeNull();
  });

  test('the host is told which compile is shown, once', async () => {
    await open({ answer: synthetic() });
    await soon(() => panel.sent('select').map(({ selection }) => selection.compileId)).toEqual(['0/0']);
    await panel.send({ type: 'changed', recording: TARGET.recording, running: false });
    await panel.send({ type: 'show', target: { ...TARGET, compileId: '1/0' } });
    await soon(() => panel.sent('select').map(({ selection }) => selection.compileId)).toEqual(['0/0', '1/0']);
  });

  test('a slow answer keeps the old picture under a line of progress', async () => {
    await open({ answer: synthetic(), delay: 500 });
    await soon(() => panel.tab.$('[role=progressbar]')).not.toBeNull();
    await soon(() => textContent('.foot')).toContain('Dynamo');
    await soon(() => panel.tab.$('.legend-row')).not.toBeNull();
    await panel.tab.click('[data-key="joint"]');
    await soon(() => panel.tab.$('[role=progressbar]')).not.toBeNull();
    expect(await panel.tab.isVisible('#canvas')).toBe(true);
    await soon(() => panel.tab.$('[role=progressbar]')).toBeNull();
  });

  test('a growing recording adds stages and moves nothing', async () => {
    let known = 2;
    const answer = (method, params) => {
      const full = synthetic()(method, params);
      return method === 'stages' ? { result: { ...full.result, stages: full.result.stages.slice(0, known) } } : full;
    };
    await open({ answer });
    await soon(async () => (await panel.state()).camera).not.toBeNull();
    const before = await panel.state();
    known = 10;
    await panel.send({ type: 'changed', recording: TARGET.recording, running: true });
    await soon(() => panel.tab.$$eval('[role=tab]', (all) => all.length)).toBe(7);
    expect(await textContent('.foot')).toContain('Recording…');
    await panel.tab.waitForTimeout(200);
    expect(await panel.state()).toEqual(before);
  });
});

describe('a compile that failed', () => {
  const failed = (node) => {
    const stages = answers.stages.stages.filter(({ stage }) => stage === 'dynamo');
    const failure = {
      title: '`h @ w` raises RuntimeError: <b>shapes</b>',
      reason: 'torch._dynamo.exc.TorchRuntimeError: <img src=x>\n  more',
      node,
      snapshot: stageOf('dynamo').snapshot,
      file: '/ws/train.py',
      line: 6,
      character: 4,
    };
    return (method, params) =>
      method === 'stages'
        ? { result: { ...answers.stages, stages, failure } }
        : recorded(answers)(method, params);
  };

  test('shows its last graph, what it failed with in torch\'s words, and the node that it is laid to', async () => {
    await open({ answer: failed('relu') });
    const banner = panel.tab.locator('.failure');
    expect(await banner.innerText()).toContain('h @ w raises RuntimeError: <b>shapes</b>');
    expect(await banner.innerText()).toContain('TorchRuntimeError: <img src=x>');
    const name = answers.graphs[stageOf('dynamo').snapshot].names.at(-2);
    await open({ answer: failed(name) });
    await panel.tab.click(`.failure button:has-text("${name}")`);
    await soon(selectedName).toBe(name);
    await panel.shot('graph-failed');
    await panel.tab.click('.failure button:has-text("Open error")');
    await soon(() => panel.sent('openSource').at(-1)?.place).toMatchObject({ file: '/ws/train.py', line: 6, column: 4 });
    await healthy(panel);
  });
});

describe.each(['dark', 'dark2026', 'light', 'hc'])('looks in %s', (theme) => {
  test('graph, selection, list and all keys are accessible', async () => {
    await open({ theme });
    await goTo('post_grad');
    const swatches = await panel.tab.$$eval('.legend .swatch:not(.outline)', (all) =>
      all.map((one) => getComputedStyle(one).backgroundColor),
    );
    expect(new Set(swatches).size).toBe(swatches.length);
    expect(swatches.filter((colour) => /^(transparent|rgba\(0, 0, 0, 0\))$/.test(colour))).toEqual([]);
    await healthy(panel);
    await panel.shot(`graph-${theme}`);
    await panel.tab.fill('#search', 'bmm');
    await press('Enter');
    await soon(selectedName).toBe('bmm');
    await healthy(panel);
    await panel.shot(`graph-search-${theme}`);
    await press('Alt+l');
    await soon(() => panel.tab.$('[role=tree]')).not.toBeNull();
    await healthy(panel);
    await panel.shot(`graph-list-${theme}`);
    await press('?');
    await panel.tab.waitForSelector('[role=dialog]');
    await healthy(panel);
    await panel.shot(`graph-keys-${theme}`);
    await press('Escape', 'Alt+l');
    await goTo('scheduler');
    await panel.shot(`graph-scheduler-${theme}`);
    await goTo('joint');
    await panel.shot(`graph-joint-${theme}`);
  });
});

test('with a screen reader the list is shown first, and the graph when it is asked for', async () => {
  await open({ heard: true });
  await soon(() => panel.tab.$('[role=tree] [role=treeitem]')).not.toBeNull();
  expect((await panel.state()).view).toBe('list');
  await press('Alt+l');
  await soon(async () => (await panel.state()).view).toBe('graph');
  await panel.tab.reload();
  await panel.tab.waitForSelector('#canvas');
  expect((await panel.state()).view).toBe('graph');
});

test('beside an editor the details go below and the controls stay inside', async () => {
  await open({ width: 510, height: 700 });
  const menu = panel.tab.locator('.stage-menu');
  expect(await panel.tab.locator('.crumbs').isVisible()).toBe(false);
  await menu.click();
  await menu.locator('.option', { hasText: 'Post-grad' }).click();
  await soon(() => textContent('footer')).toContain('Post-grad');
  expect(await menu.evaluate((one) => one.value)).toBe('post_grad');
  await panel.tab.fill('#search', 'bmm');
  await press('Enter');
  await soon(selectedName).toBe('bmm');
  for (const selector of ['.tools', '.stages', 'footer']) {
    const box = await panel.tab.$eval(selector, (one) => [one.scrollWidth, one.clientWidth]);
    expect(box[0], selector).toBeLessThanOrEqual(box[1]);
  }
  const [graph, details] = await Promise.all(['#canvas', '.details'].map((one) => panel.tab.locator(one).boundingBox()));
  expect(details.y).toBeGreaterThanOrEqual(graph.y + graph.height - 1);
  await panel.shot('graph-narrow');
  await panel.tab.focus('#canvas');
  await press('[');
  await soon(() => menu.evaluate((one) => one.value)).toMatch(/^partition:/);
});
