// esbuild: `import source from 'worker:./x.ts'` gives the module, bundled for a worker, as text. A webview may start a
// worker only from a blob: its scripts come from another origin than its page.
import { dirname, resolve } from 'node:path';
import * as esbuild from 'esbuild';

export const inlineWorker = (minify) => ({
  name: 'inline-worker',
  setup(build) {
    build.onResolve({ filter: /^worker:/ }, ({ path, importer }) => ({
      path: resolve(dirname(importer), path.slice('worker:'.length)),
      namespace: 'worker',
    }));
    build.onLoad({ filter: /.*/, namespace: 'worker' }, async ({ path }) => {
      const { outputFiles, metafile } = await esbuild.build({
        entryPoints: [path],
        bundle: true,
        minify,
        write: false,
        metafile: true,
        format: 'iife',
        target: 'es2022',
      });
      const watchFiles = Object.keys(metafile.inputs).map((file) => resolve(file));
      return { contents: outputFiles[0].text, loader: 'text', watchFiles };
    });
  },
});
