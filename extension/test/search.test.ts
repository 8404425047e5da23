import { describe, expect, test } from 'vitest';
import type { SearchHit, SearchResult } from '../src/protocol.gen';
import { eventAddress, eventUriParts } from '../src/core/event-uri';
import { endText, kindTitle, searchRow, typed } from '../src/core/search';

const hit = (kind: string, more: Partial<SearchHit> = {}): SearchHit => ({
  kind,
  text: 'y = torch.relu(x)',
  start: 10,
  end: 14,
  name: 'name',
  title: null,
  compileId: '0/1',
  file: null,
  line: null,
  column: null,
  stage: null,
  snapshot: null,
  node: null,
  order: null,
  event: null,
  log: null,
  offset: null,
  payloadLine: null,
  count: 1,
  compiles: 1,
  ...more,
});
const row = (kind: string, more: Partial<SearchHit> = {}): ReturnType<typeof searchRow> =>
  searchRow('/r', hit(kind, more), (file) => file.split('/').at(-1) ?? file);

describe('what is typed', () => {
  test.each([
    ['relu', { text: 'relu', regex: false, case: false, kinds: [] }],
    [' 8, 64 ', { text: '8, 64', regex: false, case: false, kinds: [] }],
    ['guard: L[', { text: 'L[', regex: false, case: false, kinds: ['guard'] }],
    ['guard:kernel: case: X', { text: 'X', regex: false, case: true, kinds: ['guard', 'kernel'] }],
    ['regex: a|node: b', { text: 'a|node: b', regex: true, case: false, kinds: [] }],
    ['other: x', { text: 'other: x', regex: false, case: false, kinds: [] }],
    ['node:', { text: '', regex: false, case: false, kinds: ['node'] }],
    ['constructor: x', { text: 'constructor: x', regex: false, case: false, kinds: [] }],
  ])('%j', (value, expected) => {
    expect(typed(value)).toEqual(expected);
  });
});

describe('hits', () => {
  const at = { recording: '/r', compileId: '0/1' };
  const event = { event: 'artifact_x', log: 'a.log', offset: 17 };

  test.each<[string, Partial<SearchHit>, unknown]>([
    ['guard', {}, { command: 'compilescope.showRecompiles', arguments: [at] }],
    [
      'node',
      { snapshot: 's1', node: 'relu' },
      { command: 'compilescope.showGraph', arguments: [{ ...at, snapshot: 's1', node: 'relu' }] },
    ],
    ['pass', { order: 3 }, { command: 'compilescope.showPasses', arguments: [{ ...at, pass: 3 }] }],
    ['kernel', {}, { command: 'compilescope.showCode', arguments: [{ ...at, kernel: 'name' }] }],
    ['finding', {}, { command: 'compilescope.showCompile', arguments: [at] }],
    [
      'finding',
      { file: '/w/a.py', line: 7, column: 5 },
      {
        command: 'compilescope.openSource',
        arguments: [{ file: '/w/a.py', line: 6, column: 4, endLine: -1, endColumn: -1 }],
      },
    ],
    [
      'source',
      { file: '/w/a.py', line: 7, column: 15 },
      {
        command: 'compilescope.openSource',
        arguments: [{ file: '/w/a.py', line: 6, column: 14, endLine: 6, endColumn: 18 }],
      },
    ],
  ])('of a %s with %j open where it is', (kind, more, opening) => {
    expect(row(kind, more).opening).toEqual({ type: 'command', ...(opening as object) });
  });

  test.each(['text', 'event', 'guard', 'kernel'])('of an event (%s) open the line of its payload', (kind) => {
    const { opening } = row(kind, {
      ...event,
      payloadLine: 12,
      column: 11,
      ...(kind === 'guard' && { compileId: null }),
    });
    const compileId = kind === 'guard' ? null : '0/1';
    const place = { log: 'a.log', offset: 17, name: 'artifact_x', compileId, line: 12, column: 11, length: 4 };
    expect(opening).toEqual({ type: 'event', place });
  });

  test('without any place open nothing', () => {
    expect(row('finding', { compileId: null }).opening).toEqual({ type: 'nothing' });
    expect(row('text').opening).toEqual({ type: 'nothing' });
  });

  test('say where they are, and have the line below', () => {
    expect(row('kernel', { file: '/w/a.py', line: 7, count: 3, stage: '0/1/forward' })).toMatchObject({
      icon: 'zap',
      label: 'name',
      description: '0/1 · 0/1/forward · a.py:7 · 3 ×',
      detail: 'y = torch.relu(x)',
    });
    expect(row('event', { count: 6, compiles: 4 }).description).toBe('0/1 · 6 × · in 4 compiles');
    expect(row('kernel', { ...event, payloadLine: 12 }).description).toBe('0/1 · artifact_x · line 12');
    expect(row('finding', { title: 'it was recompiled', name: 'recompile' })).toMatchObject({
      label: 'it was recompiled',
      description: 'recompile · 0/1',
    });
    expect(row('unheard-of').icon).toBe('search');
    expect([kindTitle('node'), kindTitle('unheard-of')]).toEqual(['Graph nodes', 'unheard-of']);
  });
});

test('the line is shown so that the match is in sight', () => {
  const text = `ID_MATCH: ___check(${'x'.repeat(100)})      # y = torch.relu(x)`;
  const start = text.indexOf('relu');
  expect(row('guard', { text, start, name: 'ID_MATCH' }).detail).toMatch(/^…x{16}\) # y = torch\.relu\(x\)$/);
  expect(row('guard', { text: 'ID_MATCH: relu', start: 10, name: 'ID_MATCH' }).detail).toBe('relu');
  expect(row('finding', { title: 'it was recompiled', text: 'it was recompiled' }).detail, 'once is enough').toBe('');
  expect(row('guard', { text: 'ID_MATCH: relu', start: 3, name: 'ID_MATCH' }).detail).toBe('ID_MATCH: relu');
});

test('the end says whether there is more', () => {
  const end: SearchResult = { hits: [], count: 3, stopped: null, cut: [], at: null, leftOut: {} };
  expect(endText(end, 'x')).toBeNull();
  expect(endText({ ...end, count: 0 }, 'x')).toBe('Nothing in this recording has “x” in it');
  expect(endText({ ...end, stopped: 'limit' }, 'x')).toContain('more than these 3');
  expect(endText({ ...end, cut: ['node', 'text'] }, 'x')).toBe(
    'There is more in Graph nodes, Payloads: write node: in front for all',
  );
  expect(endText({ ...end, cut: ['node', 'text'], leftOut: { node: 7, text: 10_000 } }, 'x')).toBe(
    'There is more in Graph nodes (7), Payloads (10000+): write node: in front for all',
  );
  expect(endText({ ...end, count: 0, stopped: 'too-slow' }, 'x')).toContain('takes too long');
});

test('the address of an event is found again, and its tab says what it is', () => {
  const address = { recording: '/tmp/a b.log', log: 'rank_0.log', offset: 4711 };
  const parts = eventUriParts(address, 'inductor_output_code', '0/0');
  expect(eventAddress(parts.query)).toEqual(address);
  expect(parts.path).toBe('/inductor_output_code [0_0].py');
  expect(eventUriParts(address, 'chromium_event', null).path).toBe('/chromium_event.txt');
  expect([eventAddress('{"recording": 1}'), eventAddress('{')]).toEqual([undefined, undefined]);
});
