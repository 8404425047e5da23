/** From a script to a squiggle: what a user does and sees, in the real VS Code, by keyboard. */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Editor, until } from './editor.ts';
import { EXAMPLES, place } from './examples.ts';
import { panelSteps } from './panel_steps.ts';

const branch = place('h.abs().max() > 6.0');
const print = place('print("limited", h.shape)');
const loop = place('x.max() > 0.5');
const sigma = place('sigma + 1.0');
const activation = place('nn.functional.gelu(up(h))');

let editor: Editor;

beforeAll(async () => {
  editor = await Editor.open({ workspace: EXAMPLES });
});

afterAll(async () => {
  await editor.close();
});

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

panelSteps(() => editor);

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
    (all) => all.length > 0 && all[0] !== 'Compile and Trace',
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
    (all) => all.length === 3, // the last is for a recording that is not in the view
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
