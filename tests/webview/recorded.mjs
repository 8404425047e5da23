// Answers from a real recording: a two-layer transformer in training, torch 2.13 (written by record.py).
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const FILE = new URL('fixtures/transformer.json.gz', import.meta.url);

/** The recorded answers themselves. */
export const load = () => JSON.parse(gunzipSync(readFileSync(FILE)));

export function recorded(answers = load()) {
  return (method, params) => {
    const { stages, passes, timeline, graphs, texts, diffs, lineages } = answers;
    const mine = (id) => params.compileId === null || id === params.compileId;
    if (method === 'stages')
      return {
        result: { ...stages, stages: stages.stages.filter(({ graph }) => mine(graph.replace(/\/[^/]*$/, ''))) },
      };
    if (method === 'passes')
      return { result: { ...passes, passes: passes.passes.filter(({ compileId }) => mine(compileId)) } };
    if (method === 'timeline') return { result: timeline };
    if (method === 'lineage')
      return { result: lineages[`${params.snapshot}:${params.node}`] ?? { steps: [], kernels: [], lines: [] } };
    const diff = diffs[`${params.before}:${params.after}`];
    if (method === 'graphDiff' && diff) return { result: diff };
    const found = (method === 'graph' ? graphs : texts)[params.snapshot];
    if (found) return { result: found };
    return {
      problem: {
        code: 'no-snapshot',
        title: 'The recording has no such snapshot.',
        detail: params.snapshot,
        actions: [],
      },
    };
  };
}
