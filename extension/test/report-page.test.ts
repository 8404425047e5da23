import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { themed } from '../src/core/report-page';

const CSS = path.resolve(import.meta.dirname, '../../pyserver/compilescope/report/html/report.css');

test("a report's colours follow the editor", () => {
  const css = readFileSync(CSS, 'utf8');
  const [dark, light] = [themed(css, true), themed(css, false)];
  for (const one of [dark, light]) expect(one).not.toContain('prefers-color-scheme');
  expect(dark).toContain('@media screen {');
  expect(light).toContain('@media not all {');
});
