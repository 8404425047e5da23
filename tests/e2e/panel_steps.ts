/** Each panel as a user meets it, after a trace of the sampler: registers its tests with the file that has the editor. */

import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Editor, until } from './editor.ts';
import { place } from './examples.ts';

const PASSES = "[aria-label='Filter passes']";
const sigma = place('sigma + 1.0');
const activation = place('nn.functional.gelu(up(h))');

/** The compile that a panel shows. */
async function shownCompile(editor: Editor, selector: string): Promise<string> {
  const picker = (await editor.panel(selector)).locator('vscode-single-select.compile');
  return await picker.evaluate((one) => (one as unknown as { value: string }).value);
}

/** The pass panel's list and details, with the first pass that changed the graph selected by keyboard. */
async function firstChange(editor: Editor): Promise<{ list: Locator; selected: Locator }> {
  await editor.command('Compilescope: Show Pass Trace');
  const panel = await editor.panel(PASSES);
  const list = panel.locator("[aria-label='Passes in the order in which they ran']");
  await until(
    () => list.innerText(),
    (all) => all.includes('→'),
    30,
    'a pass that changed the graph',
  );
  await list.focus();
  await editor.keys('Home', 'Alt+ArrowDown');
  return { list, selected: panel.locator("[aria-label='Selected pass']") };
}

export function panelSteps(editor: () => Editor): void {
  test('the graph panel shows the graph of the run at each stage, and jumps to the source', async () => {
    await editor().openFile('sampler.py');
    await editor().command('Compilescope: Show Graph');
    const panel = await editor().panel("[aria-label='Stage']");
    const text = async (): Promise<string> => await panel.locator('body').innerText();
    await until(text, (all) => all.includes('Dynamo') && /\d+ nodes/.test(all), 30, 'the graph');
    await editor().page.waitForTimeout(500);
    await editor().screenshot('graph_dark');
    const shown = await panel.locator("[role=tablist][aria-label='Stage']").textContent(); // a menu where it is narrow
    for (const stage of ['Dynamo', 'Pre-grad', 'Joint', 'Post-grad', 'Scheduler']) expect(shown).toContain(stage);
    expect(await shownCompile(editor(), "[aria-label='Stage']")).toBe('0/0');

    await panel.locator("[aria-label='Search nodes']").fill('gelu');
    await editor().keys('Enter');
    const gelu = place('gelu(up(h))');
    const details = panel.locator('aside, .details').first();
    await until(
      async () => await details.innerText(),
      (all) => all.includes(`sampler.py:${String(gelu.line)}`),
      15,
      'the node',
    );
    expect(await details.innerText()).toContain('[8, 256]');
    await editor().screenshot('graph_selected_dark');
    await details.locator('button', { hasText: `sampler.py:${String(gelu.line)}` }).click();
    await until(
      () => editor().statusBar(),
      (bar) => bar.includes(`Ln ${String(gelu.line)}, `),
      15,
      'the source line',
    );
  });

  test('the pass panel lists the passes in order, with time, nodes and Δ', async () => {
    await editor().command('Compilescope: Show Pass Trace');
    const panel = await editor().panel(PASSES);
    const text = async (): Promise<string> => await panel.locator('body').innerText();
    const shown = await until(text, (all) => all.includes('remove_noop_ops'), 30, 'the passes');
    expect(shown).toMatch(/\d+ passes/);
    expect(await shownCompile(editor(), PASSES)).toBe('0/0');
    expect(shown).toContain('Δ');
    await editor().page.waitForTimeout(500);
    await editor().screenshot('passes_dark');
  });

  test('the code panel shows what the line under the cursor became', async () => {
    await editor().command('View: Close All Editors');
    await editor().openFile('sampler.py');
    await editor().goTo(activation.line);
    await editor().command('Compilescope: Show Generated Code');
    const panel = await editor().panel('#col-code');
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
    expect((await marked('code')).replace(/\s+/g, ''), 'lines are wrapped').toMatch(/erf|addmm/);
    await editor().page.waitForTimeout(500);
    await editor().screenshot('code_dark');

    // The menu of the selected row, by keyboard; the generated code in an editor of its own.
    await panel.locator('#col-code').focus();
    await editor().keys('Shift+F10');
    const menu = editor().page.locator('.monaco-menu .action-item:not(.disabled)');
    const items = await until(
      async () => (await menu.allInnerTexts()).map((item) => item.trim()).filter((item) => item !== ''),
      (all) => all.length > 0,
      15,
      'the menu',
    );
    await editor().screenshot('code_menu_dark');
    expect(items).toEqual(['Copy', 'Open Source', 'Open in Editor', 'Show Graph']);
    await editor().keys('ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
    const tab = editor().page.locator('.tab.active', { hasText: 'generated code' });
    await tab.waitFor({ timeout: 20_000 });
    await until(
      () => editor().page.locator('.editor-group-container.active .view-lines').innerText(),
      (text) => /cpp_fused|async_compile/.test(text),
      15,
      'the generated code',
    );
    await editor().screenshot('code_opened_dark');
  });

  test('the recompile panel has each value that was compiled in', async () => {
    await editor().command('View: Close All Editors');
    await editor().openFile('sampler.py');
    await editor().goTo(sigma.line);
    await editor().command('Compilescope: Show Recompiles');
    const panel = await editor().panel('#grid');
    const failed = await until(
      async () => await panel.locator('td.failed').allInnerTexts(),
      (all) => all.length >= 4,
      30,
      'the guards that failed',
    );
    const values = failed.map((text) => text.replace(/\s+/g, '').replace('failed,then', ''));
    expect(values).toEqual(['1.0→0.5', '0.5→0.3333', '0.3333→0.25', '0.25→0.2']);
    expect(await panel.locator('.limit').innerText()).toContain('5 of 8');
    await editor().page.waitForTimeout(500);
    await editor().screenshot('recompiles_dark');

    await panel.locator('#grid table').focus();
    const active = async (): Promise<string> =>
      (await panel.locator('td.failed.active').innerText()).replace(/\s+/g, '').replace('failed,then', '');
    const next = values[(values.indexOf(await active()) + 1) % values.length];
    await editor().keys('n');
    await until(active, (text) => text === next, 10, 'the next failure');
    await editor().keys('c');
    const diff = editor().page.locator('.monaco-diff-editor');
    await until(
      async () => await diff.locator('.line-insert, .line-delete').count(),
      (count) => count > 0,
      20,
      'the graphs of two versions',
    );
    await editor().screenshot('recompiles_compared_dark');
    await editor().command('View: Close All Editors');
  });

  test("a changed pass opens in VS Code's own diff editor", async () => {
    await editor().openFile('train_transformer.py');
    await editor().trace();
    const { list, selected } = await firstChange(editor());
    await until(
      async () => await selected.innerText(),
      (all) => all.includes('Δ'),
      15,
      'the selected pass',
    );
    await editor().screenshot('passes_transformer_dark');
    await list.focus();
    await editor().keys('Enter');
    const diff = editor().page.locator('.monaco-diff-editor');
    await diff.waitFor({ timeout: 20_000 });
    const titles = await editor().page.locator('.tab.active').allInnerTexts();
    expect(titles.some((title) => /^\s*\w+ · joint of \w+\.forward \[0\/0\]/.test(title))).toBe(true);
    await until(
      async () => await diff.locator('.line-insert, .line-delete').count(),
      (count) => count > 0,
      20,
      'changes',
    );
    await editor().screenshot('pass_diff_dark');
    await editor().command('View: Close All Editors');
  });

  test('the timeline is walked and listed by keyboard', async () => {
    await editor().openFile('train_transformer.py');
    await editor().command('Compilescope: Show Compile Timeline');
    const panel = await editor().panel("[aria-label='Cost per source line']");
    await panel.locator('.cost').first().waitFor({ timeout: 20_000 });
    await panel.locator('.flame').focus();
    await editor().keys('m', 'l');
    const spans = panel.locator("[aria-label='All spans']");
    await spans.waitFor({ timeout: 10_000 });
    await editor().keys('Home', 'ArrowDown');
    await until(
      async () => await spans.locator('[aria-selected=true]').allInnerTexts(),
      (all) => all.length === 1 && /\S/.test(all[0] ?? ''),
      10,
      'a span',
    );
    await editor().screenshot('timeline_list_dark');
    await editor().keys('l');
    await panel.locator('.flame').waitFor({ timeout: 10_000 });
    await editor().page.waitForTimeout(500);
    await editor().screenshot('timeline_dark');
    await editor().command('View: Close All Editors');
  });

  test('Show in graph opens the comparison of a pass in the graph panel', async () => {
    await editor().openFile('train_transformer.py');
    const { selected } = await firstChange(editor());
    const name = (await selected.locator('h2').first().innerText()).trim();
    await selected.getByText('Show in graph', { exact: true }).click();
    const graph = await editor().panel('.bar.diff');
    const bar = await until(
      async () => await graph.locator('.bar.diff').innerText(),
      (all) => all.includes(name),
      20,
      'the comparison of the pass',
    );
    expect(bar).toMatch(/[+\u2212~]\d+/);
    expect(await graph.locator('#canvas').getAttribute('data-drawn')).toMatch(/.+:.+/);
    await editor().page.waitForTimeout(500);
    await editor().screenshot('graph_pass_dark');

    await graph.locator('#canvas').focus();
    const only = graph.locator('button[aria-pressed]', { hasText: 'Changed only' });
    expect(await only.getAttribute('aria-pressed'), 'a comparison shows what changed').toBe('true');
    await editor().keys('c');
    await until(
      async () => await only.getAttribute('aria-pressed'),
      (on) => on === 'false',
      10,
      'all nodes',
    );
    await editor().keys('F7', 'Alt+l');
    const nodes = graph.locator("[aria-label='Nodes of the graph']");
    await until(
      async () => await nodes.locator('[aria-selected=true]').count(),
      (count) => count > 0,
      10,
      'the change in the list',
    );
    await editor().screenshot('graph_list_dark');
    await editor().keys('Alt+l', 'c');
    await graph.locator('#canvas').waitFor({ timeout: 10_000 });
    await editor().command('View: Close All Editors');
    await editor().openFile('sampler.py');
    await editor().command('Compilescope: Show Pass Trace');
    await editor().panel(PASSES);
  });

  test('panels come back after a reload', async () => {
    await editor().reload();
    const panel = await editor().panel(PASSES, 60_000);
    await until(
      async () => await panel.locator('body').innerText(),
      (all) => all.includes('remove_noop_ops'),
      60,
      'passes',
    );
    await editor().screenshot('reloaded_dark');
  });
}
