import { expect, test } from 'vitest';
import { codeAddress, codeAddressIn, codeUriParts } from '../src/core/code-uri';

const ADDRESS = {
  recording: '/home/user/a "b"/.compilescope/20261129-131729',
  compileId: '0/0',
  graph: '0/0/forward',
  kind: 'cpp',
  kernel: null,
  preview: false,
};

test('the address of generated code comes back out of its URI', () => {
  const { path, query } = codeUriParts(ADDRESS);
  expect(codeAddressIn(query)).toEqual(ADDRESS);
  expect(path).toBe('/generated code forward [0_0].py');
  expect(codeUriParts({ ...ADDRESS, kind: 'llir', kernel: 'triton_poi_0' }).path).toBe('/triton_poi_0 [0_0].ll');
});

test('a name out of a recording makes no other path', () => {
  const { path } = codeUriParts({ ...ADDRESS, graph: '../../x/y', kind: '../py', kernel: 'a/../b\n' });
  expect(path.slice(1)).not.toMatch(/[/\n]/);
});

test('what is no address is none', () => {
  for (const given of [undefined, null, 'x', {}, { recording: 1, kind: 'cpp' }, { recording: 'a' }])
    expect(codeAddress(given)).toBeUndefined();
  expect(codeAddressIn('{')).toBeUndefined();
});
