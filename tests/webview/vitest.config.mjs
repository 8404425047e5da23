import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/webview/**/*.test.mjs'],
    root: new URL('../..', import.meta.url).pathname,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2, // a browser each
  },
});
