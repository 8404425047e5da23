/** The same views in the light and the high-contrast theme: pictures to look at, and what must be readable in them. */

import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Editor, until, type Theme } from './editor.ts';

const EXAMPLES = path.join(import.meta.dirname, '..', '..', 'examples');

interface View {
  name: string;
  command: string;
  /** Of something in its page. */
  selector: string;
  /** What its page says once it is complete. */
  says: RegExp;
}

const OF_THE_TRANSFORMER: readonly View[] = [
  { name: 'graph', command: 'Show Graph', selector: "[aria-label='Stage']", says: /\d+ nodes/ },
  { name: 'passes', command: 'Show Pass Trace', selector: "[aria-label='Filter passes']", says: /remove_noop_ops/ },
  { name: 'code', command: 'Show Generated Code', selector: '#col-code', says: /cpp_fused/ },
  {
    name: 'timeline',
    command: 'Show Compile Timeline',
    selector: "[aria-label='Cost per source line']",
    says: /whole graph: passes/,
  },
];
const OF_THE_SAMPLER: readonly View[] = [
  { name: 'recompiles', command: 'Show Recompiles', selector: '#grid', says: /5 of 8/ },
];

describe.each<[string, Theme]>([
  ['light', 'Light Modern'],
  ['hc', 'Default High Contrast'],
])('%s theme', (name, theme) => {
  test('every panel, the findings, their hover and the coverage', async () => {
    const editor = await Editor.open({ workspace: EXAMPLES, theme });
    const look = async ({ name: view, command, selector, says }: View): Promise<void> => {
      await editor.command(`Compilescope: ${command}`);
      const panel = await editor.panel(selector);
      await until(
        async () => await panel.locator('body').innerText(),
        (text) => says.test(text),
        30,
        view,
      );
      await editor.page.waitForTimeout(700);
      await editor.screenshot(`${view}_${name}`);
    };
    try {
      await editor.openFile('train_transformer.py');
      await editor.trace();
      const [first, ...others] = OF_THE_TRANSFORMER;
      if (first === undefined) throw new Error('no view');
      await look(first);
      await editor.command('View: Toggle Maximize Editor Group');
      await editor.page.waitForTimeout(500);
      await editor.screenshot(`${first.name}_${name}`);
      for (const view of others) await look(view);
      const timeline = await editor.panel("[aria-label='Cost per source line']");
      expect(await timeline.locator('ul[aria-label=Marks]').innerText()).toContain('0/0 first compile');

      await editor.command('View: Close All Editors');
      await editor.openFile('sampler.py');
      await editor.trace();
      for (const view of OF_THE_SAMPLER) await look(view);
      await editor.command('View: Close All Editors');
      await editor.openFile('sampler.py');
      await editor.command('Compilescope: Toggle Compile Coverage');
      const marks = await until(
        () => editor.gutter(),
        (all) => Object.keys(all).length > 10,
        20,
        'the coverage',
      );
      expect(new Set(Object.values(marks)).size).toBe(4);
      await editor.problems();
      await editor.goTo(28, 12);
      await editor.keys('Control+K', 'Control+I');
      await editor.page.waitForTimeout(1_500);
      await editor.screenshot(`squiggles_${name}`);
    } finally {
      await editor.close();
    }
  });
});
