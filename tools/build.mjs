// Bundles the extension host (extension/dist) and the panels (media). Options: --production, --watch.
import { existsSync } from 'node:fs';
import * as esbuild from 'esbuild';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

const common = { bundle: true, minify: production, sourcemap: production ? false : 'linked', logLevel: 'info' };

const host = {
  ...common,
  entryPoints: ['extension/src/extension.ts'],
  outfile: 'extension/dist/extension.js',
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
  mainFields: ['module', 'main'],
};

const panel = (name) => ({
  ...common,
  entryPoints: [`extension/webview/${name}/main.ts`],
  outfile: `media/${name}.js`,
  platform: 'browser',
  format: 'iife',
  target: 'es2022',
  loader: { '.ttf': 'file' },
  assetNames: '[name]',
});

const builds = [host, panel('graph'), panel('passes')].filter((build) => {
  const there = existsSync(build.entryPoints[0]);
  if (!there) console.warn(`left out, not there: ${build.entryPoints[0]}`);
  return there;
});

if (watch) {
  for (const build of builds) await (await esbuild.context(build)).watch();
} else {
  await Promise.all(builds.map((build) => esbuild.build(build)));
}
