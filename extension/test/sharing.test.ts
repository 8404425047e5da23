import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PAGE_COMMANDS, packPage, problemPage, waitingPage } from '../src/core/pack-page';
import { PROBLEM_COMMANDS } from '../src/core/problem';
import { kinds, packName, packedText } from '../src/core/sharing';
import type { FindingSummary, RunDetailResult, RunSummary } from '../src/protocol.gen';

const run: RunSummary = {
  recording: '/runs/a "b".compilescope',
  title: 'train.py --fast',
  status: 'finished',
  started: null,
  wallS: 12.5,
  exitCode: 0,
  depth: 'full',
  torch: '2.13.0',
  graphs: 3,
  breaks: 1,
  recompiles: 2,
  errors: 0,
  script: '/<path-1>/train loop.py',
  cleared: false,
  target: null,
  inputs: [],
  cost: null,
};
const finding: FindingSummary = {
  rule: 'graph-break',
  severity: 'warning',
  title: 'this `if` <script>alert(1)</script> depends on data',
  file: '/<path-1>/train.py',
  line: 4,
  character: 7,
  count: 1,
  costS: 1.5,
  fileNote: null,
};
const detail: RunDetailResult = {
  run,
  functions: [
    {
      name: 'step',
      file: '/a.py',
      line: 1,
      seconds: 2,
      graphs: 3,
      breaks: 1,
      recompiles: 2,
      skipped: false,
      compiles: [],
    },
  ],
  findings: [finding, { ...finding, file: null, title: 'elsewhere' }],
  notes: ['left out on request: source text'],
  ranks: [],
  exports: [],
  damage: null,
};
const frame = { title: 'a & b.compilescope', nonce: 'bm9uY2U=', language: 'en' };

/** Commands of a page's links with their arguments. */
function links(html: string): { command: string; argument: unknown }[] {
  return [...html.matchAll(/href="command:([\w.]+)(?:\?([^"]*))?"/g)].map(([, command = '', given]) => ({
    command,
    argument: given === undefined ? undefined : (JSON.parse(decodeURIComponent(given)) as unknown),
  }));
}

describe('the page of a pack', () => {
  const html = packPage(frame, detail);

  test('leads to the views of this recording, by commands that it may run', () => {
    const found = links(html);
    const views = found.filter(({ command }) => command !== 'compilescope.openSource');
    expect(views.map(({ command }) => command)).toContain('compilescope.showGraph');
    for (const { command, argument } of views) {
      expect(PAGE_COMMANDS).toContain(command);
      expect(argument).toEqual([{ recording: run.recording }]);
    }
    const places = found.filter(({ command }) => command === 'compilescope.openSource');
    expect(places.map(({ argument }) => argument)).toEqual([
      [{ file: '/<path-1>/train.py', line: 4, column: 7, endLine: -1, endColumn: -1 }],
    ]);
  });

  test('says what there is and what was left out, as text', () => {
    expect(html).toContain('left out on request: source text');
    expect(html).toContain('1 break · 2 recompiles · 3 graphs');
    expect(html).toContain('/&lt;path-1&gt;/train.py:5 · 1.50 s');
    expect(html).not.toContain('<script');
    expect(html).toContain('a &amp; b.compilescope');
  });

  test('allows no script and nothing from elsewhere', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    expect(policy).toBe("default-src 'none'; style-src 'nonce-bm9uY2U='");
    expect(html.replace(/<style[^>]*>[^]*<\/style>/, '')).not.toMatch(/style=|src=|url\(/);
  });

  test('has the words for nothing found and for very many', () => {
    expect(packPage(frame, { ...detail, findings: [], functions: [] })).toContain('None that this recording tells of.');
    const many = packPage(frame, { ...detail, findings: Array.from({ length: 40 }, () => finding) });
    expect(many).toContain('… and 10 more');
  });
});

test('a file that does not open says why, with the ways out', () => {
  const problem = { code: 'x', title: "Can't open it.", detail: 'It is <damaged>.', actions: ['compilescope.restart'] };
  const html = problemPage(frame, problem);
  expect(html).toContain('It is &lt;damaged&gt;.');
  expect(links(html)).toEqual([{ command: 'compilescope.restart', argument: undefined }]);
  for (const { command } of links(html)) expect(PROBLEM_COMMANDS).toContain(command);
  expect(waitingPage(frame)).toContain('role="status"');
});

test('a pack is named after its script', () => {
  expect(packName(run, '/runs/20261129-131729')).toBe('train-loop.compilescope');
  expect(packName(undefined, '/runs/20261129-131729')).toBe('20261129-131729.compilescope');
  expect(packName({ ...run, script: null }, '/a/日志 1.log.gz')).toBe('日志-1.compilescope');
  expect(packName({ ...run, script: '/a/...' }, '/a')).toBe('recording.compilescope');
});

test('what became of it is said with what is not in it; nothing when the user gave up', () => {
  const result = { file: '/a/x.compilescope', words: '20 KiB', leftOut: '', problem: null };
  expect(packedText(result)).toBe('x.compilescope holds the whole recording (20 KiB), source text and paths included.');
  expect(packedText({ ...result, leftOut: '3 folders' })).toBe(
    'x.compilescope holds the recording (20 KiB) without: 3 folders.',
  );
  expect(packedText({ ...result, file: null })).toBeUndefined();
});

test('what can be left out is what the server knows', () => {
  const known = readFileSync(
    path.join(import.meta.dirname, '../../pyserver/compilescope/recording/redact/redaction.py'),
    'utf8',
  );
  const names = /SOURCE, PATHS, NAMES, PAYLOADS = (.*)/.exec(known)?.[1]?.replace(/"/g, '').split(', ');
  expect(kinds().map(({ leaves }) => leaves)).toEqual(names);
});

test('a packed file opens with its page', () => {
  const manifest = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    contributes: { customEditors: { viewType: string; selector: { filenamePattern: string }[] }[] };
  };
  expect(manifest.contributes.customEditors.map(({ viewType, selector }) => [viewType, selector])).toEqual([
    ['compilescope.pack', [{ filenamePattern: '*.compilescope' }]],
  ]);
});
