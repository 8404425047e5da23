// Bundles the extension host (extension/dist) and the panels (media). Options: --production, --watch.
import { existsSync, readdirSync } from 'node:fs';
import * as esbuild from 'esbuild';
import { inlineWorker } from './inline_worker.mjs';

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
  plugins: [inlineWorker(production)],
});

const PANELS = 'extension/webview';
const panels = readdirSync(PANELS).filter((name) => existsSync(`${PANELS}/${name}/main.ts`));
const builds = [host, ...panels.map(panel)];

if (watch) {
  for (const build of builds) await (await esbuild.context(build)).watch();
} else {
  await Promise.all(builds.map((build) => esbuild.build(build)));
}
