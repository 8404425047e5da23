// Checks that hold for every panel in every theme.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** No violation of accessibility rules, of the content security policy, no icon without a picture, no error in the page. */
export async function healthy({ tab, errors, violations }) {
  await tab.evaluate(AXE);
  const found = await tab.evaluate(async () => {
    const result = await window.axe.run(document, { resultTypes: ['violations'] });
    return result.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).join('; ')}`,
    );
  });
  expect(found).toEqual([]);
  const empty = await tab.evaluate(() =>
    [...document.querySelectorAll('.codicon')]
      .filter((one) => ['none', '""'].includes(getComputedStyle(one, '::before').content))
      .map((one) => one.className),
  );
  expect(empty, 'icons that are not in the font').toEqual([]);
  expect(await violations()).toEqual([]);
  expect(errors).toEqual([]);
}

/** Waits until `read()` gives what is expected. */
export const soon = (read) => expect.poll(read, { timeout: 5000, interval: 30 });
