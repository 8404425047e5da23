import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const python = process.platform === 'win32' ? 'python' : 'python3';

let stage: string;
let files: string[];

beforeAll(async () => {
  stage = mkdtempSync(path.join(tmpdir(), 'compilescope-package-'));
  execFileSync(python, [path.join(ROOT, 'tools/package_vsix.py'), '--stage', stage]);
  const { listFiles, PackageManager } = await import('@vscode/vsce');
  files = (await listFiles({ cwd: stage, packageManager: PackageManager.None })).map((file) =>
    file.replaceAll('\\', '/'),
  );
}, 120_000);

afterAll(() => {
  rmSync(stage, { recursive: true, force: true });
});

test('only what the extension needs at run time is packaged', () => {
  const allowed = [
    /^package(\.nls(\.[\w-]+)?)?\.json$/,
    /^(README|CHANGELOG)\.md$/,
    /^LICENSE[^/]*$/,
    /^docs\/rules\/[\w-]+\.md$/,
    /^extension\/dist\/extension\.js$/,
    /^media\/(compilescope(-dark|-light)?\.svg|icon\.png|walkthrough\/\w+\.svg)$/,
    /^media\/([\w-]+\.(js|css)|codicon\.ttf)$/,
    /^media\/coverage\/\w+\.svg$/,
    /^l10n\/bundle\.l10n\.[\w-]+\.json$/,
    /^media\/fxgraph\.(language|tmLanguage)\.json$/,
    /^pyserver\/compilescope\/([\w]+\/)*\w+\.py$/,
    /^pyserver\/compilescope\/analysis\/data\/\w+\.json$/,
    /^pyserver\/compilescope\/report\/([\w]+\/)*\w+\.css$/,
    /^bundled\/libs\/[^/]+\.dist-info\//,
    /^bundled\/libs\/([\w]+\/)*\w+\.py$/,
    /^bundled\/libs\/parso\/python\/grammar\d+\.txt$/,
  ];
  expect(files.filter((file) => !allowed.some((pattern) => pattern.test(file)))).toEqual([]);
});

test('the server is packaged whole: every package that has code, and its data', () => {
  const packages = readdirSync(path.join(ROOT, 'pyserver/compilescope'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(path.join(entry.parentPath, entry.name, '__init__.py')))
    .map(({ name }) => `pyserver/compilescope/${name}/__init__.py`);
  const data = readdirSync(path.join(ROOT, 'pyserver/compilescope/analysis/data'))
    .filter((name) => name.endsWith('.json'))
    .map((name) => `pyserver/compilescope/analysis/data/${name}`);
  expect(files).toEqual(expect.arrayContaining([...packages, ...data, 'pyserver/compilescope/lsp/__main__.py']));
});

test('docstrings are left out, and every line keeps its number', () => {
  for (const name of ['pyserver/compilescope/lsp/server.py', 'pyserver/compilescope/recording/reader.py']) {
    const [packaged, whole] = [stage, ROOT].map((folder) => readFileSync(path.join(folder, name), 'utf8').split('\n'));
    expect(packaged).toHaveLength(whole?.length ?? 0);
    expect(packaged?.filter((line) => line.includes('"""'))).toEqual([]);
    expect(
      whole?.filter((line, at) => line !== packaged?.[at]).every((line) => !/^ *(def|class|import) /.test(line)),
    ).toBe(true);
  }
});
