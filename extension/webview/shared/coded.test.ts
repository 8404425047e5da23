import { expect, test } from 'vitest';
import { pythonPieces } from './coded';

const kinds = (line: string): [string, string][] =>
  pythonPieces(line)
    .filter(({ kind }) => kind !== '')
    .map(({ text, kind }) => [text, kind]);

test('the words of a line of Python', () => {
  expect(kinds('    if f(x, "a#b") > 1.5:  # why')).toEqual([
    ['if', 'keyword'],
    ['f', 'called'],
    ['"a#b"', 'string'],
    ['1.5', 'number'],
    ['# why', 'comment'],
  ]);
});

test('nothing of a line is lost, whatever it is', () => {
  for (const line of ['', '"open', "é = '\\''; 𝒳 @ y  ", '\t$?!`<b>`'])
    expect(
      pythonPieces(line)
        .map(({ text }) => text)
        .join(''),
    ).toBe(line);
});
