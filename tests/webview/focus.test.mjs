/** A panel takes the focus only for what the user does in it: not as it loads, after a reload, or when a run grows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start, TARGET } from './harness.mjs';
import { load, recorded } from './recorded.mjs';

let run;
const answers = load();
const shown = { passes: '.row', graph: '[role=tab][aria-selected=true]' };

beforeAll(async () => {
  run = await start();
});
afterAll(() => run?.stop());

/** Notes in the page what takes the focus, from before its first script on. */
function watch() {
  globalThis.taken = [];
  const focus = HTMLElement.prototype.focus;
  HTMLElement.prototype.focus = function (...options) {
    globalThis.taken.push(`focus() of ${this.id || this.className}`);
    return focus.apply(this, options);
  };
  document.addEventListener('focusin', ({ target }) => globalThis.taken.push(`focus in ${target.id}`));
}

describe.each(Object.entries(shown))('%s panel', (name, content) => {
  test('leaves the focus where it is', async () => {
    const panel = await run.open(name, { answer: recorded(answers), target: TARGET });
    try {
      await panel.tab.addInitScript(watch);
      await panel.tab.reload();
      await panel.tab.waitForSelector(content);
      await panel.send({ type: 'changed', recording: TARGET.recording, running: true });
      await panel.send({ type: 'show', target: TARGET });
      await panel.send({ type: 'changed', recording: TARGET.recording, running: false });
      await panel.tab.waitForTimeout(500);
      expect(await panel.tab.evaluate(() => globalThis.taken)).toEqual([]);
      expect(await panel.tab.evaluate(() => document.activeElement === document.body)).toBe(true);
      await panel.tab.keyboard.press('/');
      expect(await panel.tab.evaluate(() => globalThis.taken.length)).toBeGreaterThan(0);
    } finally {
      await panel.close();
    }
  });
});
