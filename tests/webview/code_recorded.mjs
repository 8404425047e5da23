// Answers about generated code from real recordings (written by record_code.py): `cpu`, the training transformer of
// the examples with torch 2.13, and `gpu`, a small one on an H200.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** The recorded answers themselves: one for each graph. */
export const load = (name) =>
  JSON.parse(gunzipSync(readFileSync(new URL(`fixtures/code_${name}.json.gz`, import.meta.url))));

export function recorded(answers) {
  return (method, { compileId, graph, file, line, kernel }) => {
    const ofCompile = answers.filter(({ code }) => compileId === null || code.compileId === compileId);
    const ofLine = ofCompile.find(({ code }) =>
      code.expressions.some((one) => code.files[one.file].path === file && one.line <= line && one.endLine >= line),
    );
    const found = ofCompile.find(({ code }) => code.graph === graph) ?? ofLine ?? ofCompile[0] ?? answers[0];
    if (method === 'code') return { result: found.code };
    return { result: found.stages[kernel] ?? { stages: [] } };
  };
}
