import * as fc from 'fast-check';
import * as path from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordingOf } from '../src/core/arguments';
import { graphAddress, graphUriParts } from '../src/core/graph-uri';
import { inlineText } from '../src/core/inline-text';
import { panelPage } from '../src/core/panel-page';
import { isInside, libraryRoots } from '../src/core/source-path';
import { Tail } from '../src/core/tail';
import { escapeMarkdown, seconds, when } from '../src/core/text';
import { fillIn } from '../src/core/variables';

describe('numbers and times', () => {
  test.each([
    [0.704, '0.70 s'],
    [9.99, '9.99 s'],
    [9.996, '10.0 s'],
    [14.23, '14.2 s'],
  ])('%d is %s', (value, expected) => {
    expect(seconds(value)).toBe(expected);
  });

  test('days are told by their distance', () => {
    const now = new Date(2026, 2, 1, 0, 30);
    const at = (...parts: [number, number, number, number, number]): string =>
      when(new Date(...parts).toISOString(), now);
    expect(at(2026, 2, 1, 0, 5)).toBe('today 00:05');
    expect(at(2026, 1, 28, 23, 59)).toBe('yesterday 23:59');
    expect(at(2026, 1, 27, 9, 2)).toBe('2026-02-27 09:02');
    expect(when('some day', now)).toBe('some day');
  });

  test('no text can become Markdown', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const left = escapeMarkdown(text).replace(/\\[^a-z0-9\s]/gi, '');
        expect(left).not.toMatch(/[[\]()<>`*_$]/);
      }),
    );
  });
});

describe('the words after a line', () => {
  test.each([
    [[{ rule: 'recompile', count: 4, costS: 2.12 }], '4 recompiles · 2.12 s'],
    [[{ rule: 'recompile', count: 1, costS: 0 }], '1 recompile'],
    [[{ rule: 'graph-break', count: 1, costS: 0.3 }], 'graph break'],
    [[{ rule: 'graph-break', count: 5, costS: 0 }], 'graph break · 5 ×'],
    [
      [{ rule: 'graph-break', count: 1, costS: 0, from: 'from the run at 14:02' }],
      'graph break · from the run at 14:02',
    ],
    [[{ rule: 'a-rule-of-the-future', count: 1, costS: 0 }], ''],
  ])('%j', (findings, expected) => {
    expect(inlineText(findings)).toBe(expected);
  });

  test('the dearest comes first', () => {
    const findings = [
      { rule: 'graph-break', count: 1, costS: 0.1 },
      { rule: 'recompile', count: 2, costS: 0.9 },
    ];
    expect(inlineText(findings)).toBe('2 recompiles · 0.90 s · graph break');
  });
});

describe('variables in settings', () => {
  const places = {
    file: '/ws/a/train.py',
    folder: '/ws',
    folders: { one: '/ws', two: '/other' },
    home: '/home/me',
    environment: { DATA: '/data' },
  };

  test.each([
    ['${workspaceFolder}/x', '/ws/x'],
    ['${workspaceFolder:two}', '/other'],
    ['${file} ${fileDirname}', '/ws/a/train.py /ws/a'],
    ['${userHome}:${env:DATA}:${env:NOT_SET}', '/home/me:/data:'],
    ['${unknown} $HOME', '${unknown} $HOME'],
  ])('%s', (text, expected) => {
    expect(fillIn(text, places)).toBe(expected);
  });
});

describe('addresses of graphs', () => {
  test('a URI names the snapshot that it was made for', () => {
    const address = { recording: '/ws/.compilescope/2026 & ü', snapshot: '9f8a' };
    const parts = graphUriParts(address, 'pass_1 (0/0/forward) before');
    expect(graphAddress(parts.query)).toEqual(address);
    expect(parts.path).toBe('/pass_1 (0_0_forward) before.fxgraph');
  });

  test.each(['', 'x', '[]', 'null', '{"recording": 1, "snapshot": "a"}'])('%s names none', (query) => {
    expect(graphAddress(query)).toBeUndefined();
  });
});

describe('files that a recording points to', () => {
  test('those inside the workspace open, those that lead out of it do not', () => {
    expect(isInside('/ws/a/b.py', ['/ws'])).toBe(true);
    expect(isInside(path.normalize('/ws/../etc/passwd'), ['/ws'])).toBe(false);
    expect(isInside('/wsx/b.py', ['/ws'])).toBe(false);
    expect(isInside('/ws/..hidden/b.py', ['/ws'])).toBe(true);
  });

  test("the interpreter's own libraries are those of its environment and of the installation beneath", () => {
    const roots = libraryRoots('/ws/.venv/bin/python', () => '/usr/bin/python3.11');
    expect(isInside('/ws/.venv/lib/python3.11/site-packages/torch/nn.py', roots)).toBe(true);
    expect(isInside('/usr/lib/python3.11/json/decoder.py', roots)).toBe(true);
    expect(isInside('/etc/passwd', roots)).toBe(false);
  });
});

describe('what commands are given', () => {
  test('a code lens, a hover, a row of the tree, or nothing', () => {
    expect(recordingOf({ recording: 'r', compileId: '0/1' })).toEqual({ recording: 'r', compileId: '0/1' });
    expect(recordingOf({ recording: 'r' })).toEqual({ recording: 'r', compileId: null });
    expect(recordingOf({ row: { id: 'r\n0/1\n0', compileId: '0/1' } })).toEqual({ recording: 'r', compileId: '0/1' });
    expect(recordingOf({ row: { id: 'r', kind: 'run' } })).toEqual({ recording: 'r', compileId: null });
    for (const nothing of [undefined, null, 'text', {}, { fsPath: '/x' }]) expect(recordingOf(nothing)).toBeUndefined();
  });
});

test('a tail keeps the end', () => {
  const tail = new Tail(5);
  tail.add('abc');
  tail.add('defg');
  expect(tail.text).toBe('cdefg');
});

describe("a panel's page", () => {
  const page = panelPage({
    title: 'Graph <1>',
    script: 'https://x/graph.js?a&b',
    styles: ['https://x/base.css', 'https://x/graph.css'],
    cspSource: 'https://x',
    nonce: 'bm9uY2U=',
    language: 'zh-cn',
    texts: { Close: '</script><b>' },
  });
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? '';
  const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]));

  test('everything that is not named is forbidden', () => {
    expect(rules.get('default-src')).toEqual(["'none'"]);
    expect(rules.get('connect-src')).toBeUndefined();
  });

  test('only our script runs, by its nonce', () => {
    expect(rules.get('script-src')).toEqual(["'nonce-bm9uY2U='"]);
    expect(policy).not.toMatch(/unsafe|\*|data:/);
    expect([...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
      '<script id="l10n" type="application/json">',
      '<script type="module" nonce="bm9uY2U=" src="https://x/graph.js?a&amp;b">',
    ]);
  });

  test('a worker comes from us', () => {
    expect(rules.get('worker-src')).toEqual(['blob:']);
  });

  test('texts of a language are data that ends where it should', () => {
    const given = /type="application\/json">(.*?)<\/script>/.exec(page)?.[1] ?? '';
    expect(JSON.parse(given)).toEqual({ Close: '</script><b>' });
    expect(page).toContain('<html lang="zh-cn">');
  });

  test('the title is text', () => {
    expect(page).toContain('<title>Graph &lt;1&gt;</title>');
  });
});
