import { expect, test } from 'vitest';
import { baseName, bytes, count, duration, many, percent, signed } from './format';

test('numbers are written as the panels need them', () => {
  expect([signed(18), signed(-112), signed(0)]).toEqual(['+18', '\u2212112', '0']);
  expect([count(8412), count(-3)]).toEqual(['8,412', '\u22123']);
  expect([many(1, 'node'), many(2000, 'node')]).toEqual(['1 node', '2,000 nodes']);
  expect([many(1, 'pass'), many(2, 'pass')]).toEqual(['1 pass', '2 passes']);
  expect([15.6, 2.694, 0.155, 0.0133, 0.0014, 0.00047, 0.000001, 0].map(duration)).toEqual([
    '15.6 s',
    '2.69 s',
    '155 ms',
    '13.3 ms',
    '1.4 ms',
    '0.47 ms',
    '<0.01 ms',
    '0 ms',
  ]);
  expect([percent(0.17), percent(0.008), percent(-0.002)]).toEqual(['17 %', '0.8 %', '\u22120.2 %']);
  expect([bytes(512), bytes(2 * 1024 * 1024)]).toEqual(['512 B', '2.0 MiB']);
  expect([baseName('/a/b.py'), baseName('C:\\a\\b.py'), baseName('b.py')]).toEqual(['b.py', 'b.py', 'b.py']);
});
