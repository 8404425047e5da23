import { describe, expect, test } from 'vitest';
import type { LogCountInfo, LogNameInfo } from '../src/protocol.gen';
import { choices, levelsOf, recorded, settingsOf, size } from '../src/core/logs';
import { logAddress, logUriParts } from '../src/core/log-uri';

const names: LogNameInfo[] = [
  { name: 'guards', kind: 'artifact', description: 'Prints the guards', offByDefault: false },
  { name: 'output_code', kind: 'artifact', description: 'Prints the code', offByDefault: true },
  { name: 'dynamo', kind: 'component', description: 'Capture', offByDefault: false },
];

function counts(name: string, component: string, from: number, each: [number, number][]): LogCountInfo {
  const levels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'].slice(from).map((level, index) => {
    const [records, bytes] = each[index] ?? [0, 0];
    return { level, records, bytes, size: size(bytes) };
  });
  return { name, component, kind: name === component ? 'component' : 'artifact', recordedFrom: null, levels };
}

const logs = [
  counts('dynamo', 'dynamo', 0, [
    [3, 4096],
    [1, 50],
  ]),
  counts('guards', 'dynamo', 0, [[2, 1000]]),
];
const quiet = counts('aot', 'aot', 1, []);

describe('what can be chosen', () => {
  const rows = choices(names);

  test('an artifact by its name, a component at three levels, under headings', () => {
    expect(rows.flatMap(({ token }) => token ?? [])).toEqual(['guards', 'output_code', '+dynamo', 'dynamo', '-dynamo']);
    expect(rows.filter(({ token }) => token === undefined)).toHaveLength(4);
  });

  test('what torch says of it stands beside it', () => {
    expect(rows.find(({ token }) => token === 'output_code')).toMatchObject({
      description: 'only when chosen by name',
      detail: 'Prints the code',
    });
  });

  test('is written as TORCH_LOGS has it, a component at its lowest level', () => {
    expect(settingsOf(['guards', '-dynamo', '+dynamo', 'dynamo', 'aot'])).toBe('guards,+dynamo,aot');
    expect(settingsOf([])).toBeNull();
  });
});

describe('what was recorded', () => {
  test('each log has its component and how much there is', () => {
    expect(recorded([...logs, quiet]).map(({ description }) => description)).toEqual([
      '3 records · 4.0 KB',
      'dynamo · 2 records · 1000 B',
      'nothing was logged',
    ]);
  });

  test('each level has what the chosen logs would print at it', () => {
    expect(levelsOf(logs, []).map(({ label, description }) => `${label} ${description}`)).toEqual([
      'DEBUG 5 records · 5.0 KB',
      'INFO 1 record · 50 B',
      'WARNING 0 records · 0 B',
      'ERROR 0 records · 0 B',
    ]);
    expect(levelsOf(logs, ['guards'])[0]?.description).toBe('2 records · 1000 B');
  });

  test('a level that no chosen log was recorded at is not offered', () => {
    expect(levelsOf([quiet], []).map(({ label }) => label)).toEqual(['INFO', 'WARNING', 'ERROR']);
  });
});

describe('the address of a window', () => {
  test('survives the way through a URI', () => {
    const address = { recording: '/w/.compilescope/20261129', names: ['dynamo', 'guards'], level: 'INFO' };
    const { path, query } = logUriParts(address);
    expect(path).toBe('/dynamo guards INFO.log');
    expect(logAddress(query)).toEqual(address);
  });

  test.each(['', 'null', '{}', '[1]', '{"recording": 1, "names": [], "level": "INFO"}'])('%j is none', (query) => {
    expect(logAddress(query)).toBeUndefined();
  });
});
