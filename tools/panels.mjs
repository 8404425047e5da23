// How the panels are bundled: a script and a style sheet each, what they share once.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inlineWorker } from './inline_worker.mjs';

const WEBVIEW = join(dirname(fileURLToPath(import.meta.url)), '../extension/webview');
const SHARED = /^shared-\w+\.js(\.map)?$/;

/** Names of the panels: the folders with a `main.ts`. */
export const PANELS = readdirSync(WEBVIEW).filter((name) => existsSync(join(WEBVIEW, name, 'main.ts')));

/** Options for esbuild. Takes shared code of an earlier build away, whose name has a hash in it. */
export function panelBuild(outdir, minify) {
  for (const name of existsSync(outdir) ? readdirSync(outdir) : []) {
    if (SHARED.test(name)) rmSync(join(outdir, name));
  }
  const scripts = PANELS.map((name) => [name, join(WEBVIEW, name, 'main.ts')]);
  return {
    entryPoints: Object.fromEntries([...scripts, ['base', join(WEBVIEW, 'shared/base.css')]]),
    outdir,
    bundle: true,
    minify,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    chunkNames: 'shared-[hash]',
    assetNames: '[name]',
    loader: { '.ttf': 'file' },
    plugins: [inlineWorker(minify)],
  };
}
