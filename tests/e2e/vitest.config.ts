import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/e2e/**/*.test.ts'],
    root: new URL('../..', import.meta.url).pathname,
    testTimeout: 240_000,
    hookTimeout: 180_000,
    retry: 1, // a browser and an editor of somebody else's are in the loop; a step that fails twice is broken
    fileParallelism: false,
    pool: 'forks',
  },
});
