/** Where the pieces of the examples are. */

import { readFileSync } from 'node:fs';
import path from 'node:path';

export const EXAMPLES = path.join(import.meta.dirname, '..', '..', 'examples');

/** Where a piece of text is in the example: 1-based line, 0-based columns. The truth about ranges is the source. */
export function place(text: string, file = 'sampler.py', occurrence = 0): { line: number; start: number; end: number } {
  const lines = readFileSync(path.join(EXAMPLES, file), 'utf8').split('\n');
  const hits = lines.flatMap((content, index) => {
    const start = content.indexOf(text);
    return start < 0 || content.startsWith('*') ? [] : [{ line: index + 1, start, end: start + text.length }];
  });
  const hit = hits[occurrence];
  if (!hit) throw new Error(`${file} has no ${text}`);
  return hit;
}
