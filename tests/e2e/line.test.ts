/** From a script to a squiggle: what a user does and sees, in the real VS Code, by keyboard. */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Editor, until } from './editor.ts';

const EXAMPLES = path.join(import.meta.dirname, '..', '..', 'examples');

/** Where a piece of text is in the example: 1-based line, 0-based columns. The truth about ranges is the source. */
function place(text: string, file = 'sampler.py', occurrence = 0): { line: number; start: number; end: number } {
  const lines = readFileSync(path.join(EXAMPLES, file), 'utf8').split('\n');
  const hits = lines.flatMap((content, index) => {
    const start = content.indexOf(text);
    return start < 0 || content.startsWith('*') ? [] : [{ line: index + 1, start, end: start + text.length }];
  });
  const hit = hits[occurrence];
  if (!hit) throw new Error(`${file} has no ${text}`);
  return hit;
}

const branch = place('h.abs().max() > 6.0');
const print = place('print("limited", h.shape)');
const loop = place('x.max() > 0.5');
const sigma = place('sigma + 1.0');
const activation = place('nn.functional.gelu(up(h))');

const PASSES = "[aria-label='Filter passes']";

let editor: Editor;

beforeAll(async () => {
  editor = await Editor.open({ workspace: EXAMPLES });
});

afterAll(async () => {
  await editor.close();
});

/** The compile that a panel shows. */
async function shownCompile(selector: string): Promise<string> {
  const picker = (await editor.panel(selector)).locator('vscode-single-select.compile');
  return await picker.evaluate((one) => (one as unknown as { value: string }).value);
}

function at(line: number): string {
  return `[Ln ${String(line)}, Col `;
}

test('a file that was never traced has a lens to do it, and no findings', async () => {
  await editor.openFile('sampler.py');
  const lenses = await until(
    () => editor.codeLenses(),
    (all) => all.length >= 2,
    60,
    'lenses',
  );
  expect(lenses).toEqual(['Compile and Trace', 'Compile and Trace']);
  expect(await editor.squiggles()).toEqual([]);
  await editor.screenshot('untraced_dark');
});

test('Compile and Trace from the palette puts squiggles under the exact expressions', async () => {
  await editor.trace();
  await editor.goTo(branch.line);
  const squiggles = await until(
    () => editor.squiggles(),
    (all) => all.length >= 4,
    30,
    'squiggles',
  );
  const warnings = squiggles.filter((one) => one.severity === 'warning');
  expect(warnings).toContainEqual({ ...branch, severity: 'warning' });
  expect(warnings).toContainEqual({ ...print, severity: 'warning' });
  expect(warnings).toContainEqual({ ...loop, severity: 'warning' });
  const recompile = warnings.find((one) => one.line === sigma.line);
  expect(recompile).toBeDefined();
  expect(recompile?.start).toBeLessThanOrEqual(sigma.start);
  expect(recompile?.end).toBeGreaterThanOrEqual(sigma.end);
  await editor.screenshot('squiggles_dark');
});

test('the Problems view lists each with its code and place', async () => {
  const problems = await editor.problems();
  const row = (code: string, line: number): string | undefined =>
    problems.find((text) => text.includes(code) && text.includes(at(line)));
  expect(row('GB0170', branch.line)).toMatch(/Graph break: this `if` depends on tensor data/);
  expect(row('GB0059', print.line)).toMatch(/`print` can't be part of a graph/);
  expect(row('GB7000', loop.line)).toMatch(/anneal/);
  expect(row('recompile', sigma.line)).toMatch(/Recompiled 4 times/);
  expect(problems.some((text) => text.includes('called from here'))).toBe(true);
  await editor.screenshot('problems_dark');
});

test('the hover explains a graph break', async () => {
  const text = await editor.hover(branch.line, branch.start + 3);
  expect(text).toContain('The graph ends here');
  expect(text).toContain('Cost.');
  expect(text).toContain('Why.');
  expect(text).toContain('GB0170');
  expect(text).toContain('Data-dependent branching');
  await editor.screenshot('hover_break_dark');
  await editor.keys('Escape');
});

test('the hover explains each recompile: guard, old and new value, caller, seconds', async () => {
  const text = await editor.hover(sigma.line, sigma.start + 3);
  for (const change of ['1.0 → 0.5', '0.5 → 0.3333', '0.3333 → 0.25', '0.25 → 0.2']) {
    expect(text.replace(/\s+/g, ' ')).toContain(change);
  }
  for (const id of ['0/1', '0/2', '0/3', '0/4']) expect(text).toContain(id);
  expect(text).toContain(`line ${String(place('x = denoise(').line)}`);
  expect(text).toContain('Total');
  await editor.screenshot('hover_recompile_dark');
  await editor.keys('Escape');
});

test('the hover on another line of a compiled function says what it became', async () => {
  const text = await editor.hover(activation.line, activation.start + 3);
  expect(text).toContain('In a graph');
  expect(text).toContain('f32[8, 256]');
  expect(text).toContain('extern_kernels.addmm');
  expect(text).toContain('alone (library call)');
  await editor.screenshot('hover_line_dark');
  await editor.keys('Escape');
});

test('the fixes of a finding are in its quick fixes, the proven one first', async () => {
  await editor.goTo(branch.line, branch.start + 3);
  await editor.keys('Control+.');
  const menu = editor.page.locator('.action-widget .monaco-list-row');
  const titles = await until(
    () => menu.allInnerTexts(),
    (all) => all.length > 0,
    15,
    'the menu',
  );
  const offered = titles.filter((title) => /Fix and verify|Write the if|Ignore|Explain/.test(title));
  expect(offered[0]).toMatch(/^Fix and verify: /);
  expect(offered).toEqual(expect.arrayContaining(['Ignore GB0170 on this line', 'Explain GB0170']));
  await editor.screenshot('fixes_dark');
  await editor.keys('Escape');
});

test('code lenses and the status bar give the figures of the run', async () => {
  await editor.goTo(branch.line);
  const lenses = await editor.codeLenses();
  expect(lenses[0]).toMatch(/^6 graphs · 2 breaks · 4 recompiles · \d+(\.\d+)? s · compiled 75 % \| Trace again/);
  expect(lenses[1]).toMatch(new RegExp(`^0 graphs · runs in eager because of line ${String(loop.line)}`));
  expect(await editor.statusBar()).toContain('2 breaks · 4 recompiles · 1 skipped');
});

test('compile coverage marks each line in the gutter by its state, and a toggle takes the marks away', async () => {
  const body = (from: string, to: string): number[] => {
    const [first, last] = [place(from).line, place(to).line];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  };
  const captured = [...body('freq = math.log', 'h = x + down(h)'), ...body('out = torch.tanh', 'return out - x.mean')];
  const expected = [
    ...captured.map((line) => [line, 'captured_dark']),
    ...[branch.line, print.line].map((line) => [line, 'eager_dark']),
    [place('h = h.clamp').line, 'not_run_dark'],
    ...body('for _ in range(steps)', '    return x').map((line) => [line, 'skipped_dark']),
  ] as [number, string][];
  await editor.command('View: Hide Panel'); // the gutter has only the lines that are in view
  await editor.command('Compilescope: Toggle Compile Coverage');
  await editor.goTo(branch.line);
  const marks = await until(
    () => editor.gutter(),
    (all) => Object.keys(all).length >= expected.length,
    20,
    'the marks',
  );
  expect(marks).toEqual(Object.fromEntries(expected));
  expect(await editor.statusBar()).toContain('compiled 46 %');
  await editor.screenshot('coverage_dark');
  const said = await editor.hover(print.line, 2);
  expect(said).toContain('eager (dashed): Runs in Python');
  await editor.screenshot('coverage_hover_dark');
  await editor.keys('Escape');
  await editor.command('Compilescope: Toggle Compile Coverage');
  await until(
    () => editor.gutter(),
    (all) => Object.keys(all).length === 0,
    10,
    'no marks',
  );
});

test('the runs view shows the run, its functions and its compiles', async () => {
  await editor.command('Compilescope: Focus on Runs View');
  const rows = editor.page.locator('.pane-body .monaco-list-row');
  const texts = async (): Promise<string[]> => (await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, ' '));
  await until(texts, (all) => all.some((row) => row.includes('sampler.py')), 30, 'the run');
  await editor.page.waitForTimeout(500);
  await editor.keys('Home', 'ArrowDown'); // a click would open the source, which takes the focus
  const all = await until(
    async () => {
      const seen = await texts();
      if (!seen.some((row) => row.includes('0/1'))) await editor.keys('ArrowRight');
      return seen;
    },
    (seen) => seen.some((row) => row.includes('0/1')),
    30,
    'the compiles',
  );
  expect(all.some((row) => row.includes('denoise'))).toBe(true);
  expect(all.some((row) => row.includes('anneal'))).toBe(true);
  expect(all.some((row) => /0\/1.*1\.0 → 0\.5/.test(row))).toBe(true);
  await rows.filter({ hasText: '0/0' }).first().locator('.monaco-tl-twistie').click();
  const inside = new Set<string>();
  const steps = [
    /Capture\s*16 nodes · /,
    /AOTAutograd/,
    /Passes\s*\d+, \d+ changed · /,
    /Guards\s*\d+ · /,
    /Code\s*\d.*library call/,
  ];
  await until(
    async () => {
      for (const row of await texts()) inside.add(row);
      await editor.keys('ArrowDown'); // only rows in view are there
      return [...inside];
    },
    (seen) => steps.every((step) => seen.some((row) => step.test(row))),
    20,
    'the steps',
  );
  await editor.screenshot('runs_dark');
});

test('a filter keeps what it names, in the runs view', async () => {
  const rows = editor.page.locator('.pane-body .monaco-list-row');
  const functions = async (): Promise<string[]> =>
    (await rows.allInnerTexts()).map((row) => row.trim()).filter((row) => /^(denoise|anneal)(?! was)/.test(row));
  await editor.command('Compilescope: Filter Runs');
  await editor.page.locator('.quick-input-widget:visible input.input').fill('anneal');
  await editor.keys('Enter');
  await until(functions, (all) => all.length === 1 && all[0]?.startsWith('anneal') === true, 20, 'one function');
  await editor.command('Compilescope: Clear Filter of Runs');
  await until(functions, (all) => all.length >= 2, 20, 'both functions');
});

test('the graph panel shows the graph of the run at each stage, and jumps to the source', async () => {
  await editor.openFile('sampler.py');
  await editor.command('Compilescope: Show Graph');
  const panel = await editor.panel("[aria-label='Stage']");
  const text = async (): Promise<string> => await panel.locator('body').innerText();
  await until(text, (all) => all.includes('Dynamo') && /\d+ nodes/.test(all), 30, 'the graph');
  await editor.page.waitForTimeout(500);
  await editor.screenshot('graph_dark');
  const shown = await text();
  for (const stage of ['Dynamo', 'Pre-grad', 'Joint', 'Post-grad', 'Scheduler']) expect(shown).toContain(stage);
  expect(await shownCompile("[aria-label='Stage']")).toBe('0/0');

  await panel.locator("[aria-label='Search nodes']").fill('gelu');
  await editor.keys('Enter');
  const gelu = place('gelu(up(h))');
  const details = panel.locator('aside, .details').first();
  await until(
    async () => await details.innerText(),
    (all) => all.includes(`sampler.py:${String(gelu.line)}`),
    15,
    'the node',
  );
  expect(await details.innerText()).toContain('[8, 256]');
  await editor.screenshot('graph_selected_dark');
  await details.locator('button', { hasText: `sampler.py:${String(gelu.line)}` }).click();
  await until(
    () => editor.statusBar(),
    (bar) => bar.includes(`Ln ${String(gelu.line)}, `),
    15,
    'the source line',
  );
});

test('the pass panel lists the passes in order, with time, nodes and Δ', async () => {
  await editor.command('Compilescope: Show Pass Trace');
  const panel = await editor.panel(PASSES);
  const text = async (): Promise<string> => await panel.locator('body').innerText();
  const shown = await until(text, (all) => all.includes('remove_noop_ops'), 30, 'the passes');
  expect(shown).toMatch(/\d+ passes/);
  expect(await shownCompile(PASSES)).toBe('0/0');
  expect(shown).toContain('Δ');
  await editor.page.waitForTimeout(500);
  await editor.screenshot('passes_dark');
});

test('the code panel shows what the line under the cursor became', async () => {
  await editor.command('View: Close All Editors');
  await editor.openFile('sampler.py');
  await editor.goTo(activation.line);
  await editor.command('Compilescope: Show Generated Code');
  const panel = await editor.panel('#col-code');
  const marked = async (column: string): Promise<string> =>
    (await panel.locator(`#col-${column} .hot`).allInnerTexts()).join(' ');
  await until(
    () => marked('source'),
    (text) => text.includes('up(h)'),
    30,
    'the line',
  );
  await panel.locator('.tools .narrow').click(); // beside an editor there is room for two columns
  await until(
    () => marked('graph'),
    (text) => /%(addmm|erf|mul)/.test(text),
    15,
    'its nodes',
  );
  expect(await marked('code')).toMatch(/erf|addmm/);
  await editor.page.waitForTimeout(500);
  await editor.screenshot('code_dark');
});

test('the recompile panel has each value that was compiled in', async () => {
  await editor.command('View: Close All Editors');
  await editor.openFile('sampler.py');
  await editor.goTo(sigma.line);
  await editor.command('Compilescope: Show Recompiles');
  const panel = await editor.panel('#grid');
  const failed = await until(
    async () => await panel.locator('td.failed').allInnerTexts(),
    (all) => all.length >= 4,
    30,
    'the guards that failed',
  );
  const values = failed.map((text) => text.replace(/\s+/g, '').replace('failed,then', ''));
  expect(values).toEqual(['1.0→0.5', '0.5→0.3333', '0.3333→0.25', '0.25→0.2']);
  expect(await panel.locator('.limit').innerText()).toContain('5 of 8');
  await editor.page.waitForTimeout(500);
  await editor.screenshot('recompiles_dark');
  await editor.command('View: Close All Editors');
});

test("a changed pass opens in VS Code's own diff editor", async () => {
  await editor.openFile('train_transformer.py');
  await editor.trace();
  await editor.command('Compilescope: Show Pass Trace');
  const panel = await editor.panel(PASSES);
  const list = panel.locator("[aria-label='Passes in the order in which they ran']");
  await until(
    async () => await list.innerText(),
    (all) => all.includes('→'),
    30,
    'a pass that changed the graph',
  );
  await list.focus();
  await editor.keys('Home', 'Alt+ArrowDown');
  const selected = panel.locator("[aria-label='Selected pass']");
  await until(
    async () => await selected.innerText(),
    (all) => all.includes('Δ'),
    15,
    'the selected pass',
  );
  await editor.screenshot('passes_transformer_dark');
  await list.focus();
  await editor.keys('Enter');
  const diff = editor.page.locator('.monaco-diff-editor');
  await diff.waitFor({ timeout: 20_000 });
  const titles = await editor.page.locator('.tab.active').allInnerTexts();
  expect(titles.some((title) => /^\s*\w+ · joint of \w+\.forward \[0\/0\]/.test(title))).toBe(true);
  await until(
    async () => await diff.locator('.line-insert, .line-delete').count(),
    (count) => count > 0,
    20,
    'changes',
  );
  await editor.screenshot('pass_diff_dark');
  await editor.command('View: Close All Editors');
});

test('Show in graph opens the comparison of a pass in the graph panel', async () => {
  await editor.openFile('train_transformer.py');
  await editor.command('Compilescope: Show Pass Trace');
  const passes = await editor.panel(PASSES);
  const list = passes.locator("[aria-label='Passes in the order in which they ran']");
  await until(
    async () => await list.innerText(),
    (all) => all.includes('→'),
    30,
    'a pass that changed the graph',
  );
  await list.focus();
  await editor.keys('Home', 'Alt+ArrowDown');
  const selected = passes.locator("[aria-label='Selected pass']");
  const name = (await selected.locator('h2').first().innerText()).trim();
  await selected.getByText('Show in graph', { exact: true }).click();
  const graph = await editor.panel('.bar.diff');
  const bar = await until(
    async () => await graph.locator('.bar.diff').innerText(),
    (all) => all.includes(name),
    20,
    'the comparison of the pass',
  );
  expect(bar).toMatch(/[+\u2212~]\d+/);
  expect(await graph.locator('#canvas').getAttribute('data-drawn')).toMatch(/.+:.+/);
  await editor.page.waitForTimeout(500);
  await editor.screenshot('graph_pass_dark');
  await editor.command('View: Close All Editors');
  await editor.openFile('sampler.py');
  await editor.command('Compilescope: Show Pass Trace');
  await editor.panel(PASSES);
});

test('panels come back after a reload', async () => {
  await editor.reload();
  const panel = await editor.panel(PASSES, 60_000);
  await until(
    async () => await panel.locator('body').innerText(),
    (all) => all.includes('remove_noop_ops'),
    60,
    'passes',
  );
  await editor.screenshot('reloaded_dark');
});

test('the findings of the last session are back after a reload, without tracing', async () => {
  await editor.command('View: Close All Editors');
  await editor.openFile('sampler.py');
  await editor.goTo(branch.line);
  const squiggles = await until(
    () => editor.squiggles(),
    (all) => all.length >= 4,
    30,
    'squiggles',
  );
  for (const one of [branch, print, loop]) expect(squiggles).toContainEqual({ ...one, severity: 'warning' });
  expect(squiggles.some((one) => one.line === sigma.line)).toBe(true);
  const lenses = await until(
    () => editor.codeLenses(),
    (all) => all[0] !== 'Compile and Trace',
    15,
    'lenses',
  );
  expect(lenses[0]).toMatch(/^6 graphs · 2 breaks · 4 recompiles/);
  expect(await editor.statusBar()).not.toContain('running');
  await editor.screenshot('findings_back_dark');
});

test('fixing the break and tracing again takes its squiggle away and leaves the others', async () => {
  await editor.command('View: Close All Editors');
  const file = path.join(editor.folder, 'sampler.py');
  writeFileSync(file, readFileSync(file, 'utf8').replace('    print("limited", h.shape)\n', ''));
  await editor.openFile('sampler.py');
  await editor.trace();
  await editor.goTo(branch.line);
  const squiggles = await until(
    () => editor.squiggles(),
    (all) => all.length >= 3 && !all.some((one) => one.line === print.line),
    30,
    'the squiggle goes',
  );
  expect(squiggles).toContainEqual({ ...branch, severity: 'warning' });
  expect((await editor.problems()).some((text) => text.includes('GB0059'))).toBe(false);
  await editor.screenshot('fixed_dark');
});

test('Compare Runs says what changed between the two runs', async () => {
  await editor.command('Compilescope: Compare Runs');
  const others = editor.page.locator('.quick-input-widget:visible .monaco-list-row');
  await until(
    () => others.allInnerTexts(),
    (all) => all.length === 2,
    15,
    'the other runs',
  );
  expect(await others.first().innerText(), 'those of the same script first').toContain('sampler.py');
  await others.first().click();
  const page = await editor.panel('h1');
  const text = await until(
    () => page.locator('body').innerText(),
    (all) => all.includes(`sampler.py:${String(print.line)} graph-break`),
    30,
    'the comparison',
  );
  expect(text).toMatch(/1 fixed/);
  await editor.screenshot('compared_dark');
  await editor.command('View: Close All Editors');
  await editor.openFile('sampler.py');
});

test('Open Report shows the run as one page', async () => {
  await editor.command('Compilescope: Open Report');
  // The browser of this editor has no files of its machine: the page is shown in the editor.
  const page = await editor.panel('h1');
  const text = await page.locator('body').innerText();
  expect(text).toContain('sampler.py');
  expect(text).toContain('GB0170');
  await editor.screenshot('report_dark');
});

test('Copy as Markdown has the run on the clipboard', async () => {
  await editor.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await editor.command('Compilescope: Copy as Markdown');
  const copied = await until(
    () => editor.page.evaluate(() => navigator.clipboard.readText()),
    (text) => text.includes('GB0170'),
    15,
    'the run on the clipboard',
  );
  expect(copied).toContain(`sampler.py:${String(branch.line)}`);
});

test('Clear Findings leaves nothing behind', async () => {
  await editor.command('Compilescope: Clear Findings');
  await until(
    () => editor.squiggles(),
    (all) => all.length === 0,
    15,
    'no squiggle',
  );
  expect((await editor.problems()).some((text) => text.includes('compilescope'))).toBe(false);
});
