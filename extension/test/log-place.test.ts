/** Places in logs: rows that lead to them, and their addresses. */
import { describe, expect, test } from 'vitest';
import { logPlaceAddress, logPlaceUriParts, placeInEventText } from '../src/core/log-place-uri';
import { damageRow, damagedPlaceRow, moreDamageRow } from '../src/core/rows/damage';

const place = { recording: '/traces#job=a.log', log: 'node 0/a.log.gz', offset: 4711 };

describe('the address of a place', () => {
  test('names the place, and its tab the log and the byte', () => {
    const parts = logPlaceUriParts(place);
    expect(parts.path).toBe('/a.log.gz byte 4711.log');
    expect(logPlaceAddress(parts.query)).toEqual(place);
  });

  test.each(['', '{}', '[]', '{"recording": "/a", "log": "b", "offset": "4"}'])('%s is none', (query) => {
    expect(logPlaceAddress(query)).toBeUndefined();
  });

  test('is found in the text of an event', () => {
    const text = `# foo 0/0\n# 1129 13:17:29.1, process 7, ${place.log}:4711\n# {\n`;
    expect(placeInEventText(text, place)).toEqual({ line: 1, start: 30, end: 50 });
    expect(placeInEventText('# foo\n', place)).toBeUndefined();
    expect(placeInEventText('', place)).toBeUndefined();
  });
});

test('damaged places have rows, and the row above says the first', () => {
  const note = { log: 'a.log', offset: 12345, problem: 'not the start of a record' };
  const top = damageRow('/r', { title: '3 places could not be read', places: [note], more: 2 });
  expect([top.label, top.description, top.branch]).toEqual(['3 places could not be read', note.problem, true]);
  const row = damagedPlaceRow('/r', note, 0);
  expect([row.label, row.description]).toEqual(['byte 12345', 'not the start of a record · a.log']);
  expect(row.tooltip).toContain('a.log:12345');
  expect(moreDamageRow('/r', 2).label).toBe('… and 2 more');
  expect(new Set([top.id, row.id, damagedPlaceRow('/r', note, 1).id, moreDamageRow('/r', 2).id]).size).toBe(4);
});
