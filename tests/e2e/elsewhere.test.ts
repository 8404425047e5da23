/** A log of another machine: the guess where its files are, the answer, and what the log has of a file before that. */

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Editor, until } from './editor.ts';

const SCRIPT = `import torch


def step(x):
    y = x * 2
    print("norm", y.shape)
    return torch.relu(y)
`;
const PRINT = 6;
const REASON = `Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):

Failed to trace builtin operator
  Explanation: Dynamo does not know how to trace builtin operator \`print\`
  Hint: Please report an issue to PyTorch.

  Developer debug context: builtin print [] False

 For more details about this graph break, please visit: https://meta-pytorch.github.io/x/gb/gb0059.html

User code traceback:
  File "/job/src/train.py", line ${String(PRINT)}, in step
    print("norm", y.shape)
`;

function record(envelope: object, payload?: string): string {
  const checksum = payload === undefined ? {} : { has_payload: createHash('md5').update(payload).digest('hex') };
  const body = payload === undefined ? '' : `\n${payload.replaceAll(/^/gm, '\t')}`;
  return `V1129 13:17:29.123456 4711 torch/_dynamo/utils.py:12] ${JSON.stringify({ ...envelope, ...checksum })}${body}\n`;
}

/** A log as torch writes it on a machine where the script is /job/src/train.py. */
function log(): string {
  const common = { frame_id: 0, frame_compile_id: 0, attempt: 0 };
  const metrics = { co_name: 'step', co_filename: '/job/src/train.py', co_firstlineno: 4 };
  return [
    record({ str: ['/job/src/train.py', 0] }),
    record({ dynamo_start: { stack: [{ line: 4, name: 'step', filename: 0 }] }, ...common }),
    record({ artifact: { name: 'dynamo_graph_break_reason', encoding: 'string' }, ...common }, REASON),
    record({ compilation_metrics: { ...metrics, entire_frame_compile_time_s: 0.5 }, ...common }),
  ].join('');
}

let editor: Editor;
let workspace: string;

beforeAll(async () => {
  workspace = mkdtempSync(path.join(tmpdir(), 'compilescope elsewhere '));
  mkdirSync(path.join(workspace, 'src'));
  mkdirSync(path.join(workspace, 'traces'));
  writeFileSync(path.join(workspace, 'src', 'train.py'), SCRIPT);
  writeFileSync(path.join(workspace, 'traces', 'dedicated_log_torch_trace_ab.log'), log());
  editor = await Editor.open({ workspace, settings: { 'compilescope.watchFolders': ['traces'] } });
});

afterAll(async () => {
  await editor.close();
  rmSync(workspace, { recursive: true, force: true });
});

/** The text of the editor in front. */
const text = async (): Promise<string> => {
  const lines = editor.page.locator('.editor-group-container.active .view-lines');
  return (await lines.innerText()).replaceAll('\u00a0', ' ');
};

test('where the files are is asked; until then a row opens what the log has', async () => {
  await editor.command('Compilescope: Focus on Runs View');
  const asked = await until(
    () => editor.notifications(),
    (all) => all.some((one) => one.includes('another machine')),
    60,
    'the question',
  );
  expect(asked.join(' ')).toContain('its /job/src is here as ./src?');
  await editor.screenshot('elsewhere_asked_dark');
  await editor.page.locator('.pane-body .monaco-list-row', { hasText: 'part of a graph' }).first().click();
  await until(text, (shown) => shown.includes('print("norm", y.shape)'), 15, 'what the log has');
  expect(await text()).toContain('# lines 1 to 5 are not in the log');
  await editor.screenshot('elsewhere_log_dark');
});

test('the answer is written into the settings, and the squiggle is in the file of here', async () => {
  await editor.page.locator('.notifications-toasts .monaco-button', { hasText: 'Use It' }).first().click();
  await editor.openFile('train.py');
  const squiggles = await until(
    () => editor.squiggles(),
    (all) => all.length > 0,
    30,
    'the squiggle',
  );
  expect(squiggles).toContainEqual(expect.objectContaining({ line: PRINT, severity: 'warning' }));
  const settings = JSON.parse(readFileSync(path.join(editor.folder, '.vscode', 'settings.json'), 'utf8')) as unknown;
  expect(settings).toEqual({
    'compilescope.pathMappings': [{ from: '/job/src', to: '${workspaceFolder}/src' }],
  });
  expect(await editor.hover(PRINT, 6)).toContain('The graph ends here');
  await editor.screenshot('elsewhere_here_dark');
});
