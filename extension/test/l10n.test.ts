import { readFileSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');
const texts = (name: string): Record<string, string> => JSON.parse(read(name)) as Record<string, string>;

const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([all]) => all).sort();

/** What `l10n.t` is called with in the extension and its panels; `undefined` for what is no literal. */
const said = ['extension/src', 'extension/webview'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(test|d)\.ts$/.test(name))
    .flatMap((name) => saidIn(read(path.join(folder, name)))),
);

function saidIn(source: string): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'l10n.t') {
      const [first] = node.arguments;
      found.push(first !== undefined && ts.isStringLiteral(first) ? first.text : undefined);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true));
  return found;
}

describe('the texts in Chinese', () => {
  const translated = texts('l10n/bundle.l10n.zh-cn.json');

  test('are those of the sources: add to l10n/bundle.l10n.zh-cn.json what is missing, and remove what nothing says', () => {
    const texts = new Set(said.filter((text) => text !== undefined));
    expect(texts.size).toBeGreaterThan(800);
    expect({
      missing: [...texts].filter((text) => !(text in translated)),
      unused: Object.keys(translated).filter((text) => !texts.has(text)),
    }).toEqual({ missing: [], unused: [] });
  });

  test('have the placeholders of the English ones, and are no empty ones', () => {
    for (const [english, chinese] of Object.entries(translated)) {
      expect(chinese.trim(), english).not.toBe('');
      expect([english, ...matches(chinese, /\{\d+\}|\$\([\w-]+\)/g)]).toEqual([
        english,
        ...matches(english, /\{\d+\}|\$\([\w-]+\)/g),
      ]);
      expect([english, ...matches(chinese, /\]\(command:[^)]*\)/g)]).toEqual([
        english,
        ...matches(english, /\]\(command:[^)]*\)/g),
      ]);
    }
  });

  test('are given by a literal, so that they can be found', () => {
    expect(said).not.toContain(undefined);
  });
});

test('what the manifest says is there in both languages, with the same links, code and variables', () => {
  const [english, chinese] = [texts('package.nls.json'), texts('package.nls.zh-cn.json')];
  expect(Object.keys(chinese).sort()).toEqual(Object.keys(english).sort());
  for (const [key, text] of Object.entries(english)) {
    const kept = /\]\(command:[^)]*\)|`[^`]*`|\n/g;
    expect([key, ...matches(chinese[key] ?? '', kept)]).toEqual([key, ...matches(text, kept)]);
  }
});
