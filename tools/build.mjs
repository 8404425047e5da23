// Bundles the extension host (extension/dist) and the panels (media). Options: --production, --watch.
import * as esbuild from 'esbuild';
import { keepNamedIcons } from './icon_font.mjs';
import { panelBuild } from './panels.mjs';

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

const panels = { ...common, ...panelBuild('media', production) };

const builds = [host, panels];

if (watch) {
  for (const build of builds) await (await esbuild.context(build)).watch();
} else {
  await Promise.all(builds.map((build) => esbuild.build(build)));
  if (production) await keepNamedIcons('media');
}
