/** The same views in the light and the high-contrast theme: pictures to look at, and what must be readable in them. */

import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Editor, until, type Theme } from './editor.ts';

const EXAMPLES = path.join(import.meta.dirname, '..', '..', 'examples');

describe.each<[string, Theme]>([
  ['light', 'Light Modern'],
  ['hc', 'Default High Contrast'],
])('%s theme', (name, theme) => {
  test('squiggles, graph and passes of the training transformer', async () => {
    const editor = await Editor.open({ workspace: EXAMPLES, theme });
    try {
      await editor.openFile('train_transformer.py');
      await editor.trace();
      await editor.command('Compilescope: Show Graph');
      const graph = await editor.panel("[aria-label='Stage']");
      await until(
        async () => await graph.locator('body').innerText(),
        (all) => /\d+ nodes/.test(all),
        30,
        'the graph',
      );
      await editor.command('View: Toggle Maximize Editor Group');
      await editor.page.waitForTimeout(800);
      await editor.screenshot(`graph_${name}`);
      await editor.command('Compilescope: Show Pass Trace');
      const passes = await editor.panel("[aria-label='Filter passes']");
      const text = await until(
        async () => await passes.locator('body').innerText(),
        (all) => all.includes('remove_noop_ops'),
        30,
        'the passes',
      );
      expect(text).toMatch(/changed the graph/);
      await editor.page.waitForTimeout(500);
      await editor.screenshot(`passes_${name}`);
      await editor.command('Compilescope: Show Compile Timeline');
      const timeline = await editor.panel("[aria-label='Cost per source line']");
      const costs = await until(
        async () => await timeline.locator('.cost').allInnerTexts(),
        (all) => all.length > 3,
        30,
        'the timeline',
      );
      expect(costs.join('\n')).toContain('whole graph: passes');
      expect(await timeline.locator('ul[aria-label=Marks]').innerText()).toContain('0/0 first compile');
      await editor.page.waitForTimeout(500);
      await editor.screenshot(`timeline_${name}`);
      await editor.command('View: Close All Editors');
      await editor.openFile('sampler.py');
      await editor.trace();
      await editor.problems();
      await editor.goTo(28, 12);
      await editor.keys('Control+K', 'Control+I');
      await editor.page.waitForTimeout(1_500);
      await editor.screenshot(`squiggles_${name}`);
      await editor.keys('Escape');
      await editor.command('Compilescope: Toggle Compile Coverage');
      const marks = await until(
        () => editor.gutter(),
        (all) => Object.keys(all).length > 10,
        20,
        'compile coverage',
      );
      expect(new Set(Object.values(marks)).size).toBe(4);
      await editor.screenshot(`coverage_${name}`);
    } finally {
      await editor.close();
    }
  });
});
