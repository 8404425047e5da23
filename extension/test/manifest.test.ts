import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, test } from 'vitest';
import { graphUriParts } from '../src/core/graph-uri';
import { COMMAND_IDS, HOVER_COMMANDS } from '../src/core/command-ids';
import { PROBLEM_COMMANDS } from '../src/core/problem';
import { PANEL_KINDS } from '../src/shared/panels';
import { MENU } from '../src/core/status';

const ROOT = path.resolve(import.meta.dirname, '../..');

interface Manifest {
  contributes: {
    commands: { command: string; title: string; icon?: string }[];
    menus: Record<string, { command: string; when?: string }[]>;
    views: Record<string, { id: string; icon: string }[]>;
    viewsContainers: { activitybar: { id: string; icon: string }[] };
    viewsWelcome: { view: string; contents: string; when?: string }[];
    configuration: { properties: Record<string, { default: unknown; scope?: string; markdownDescription: string }> }[];
    languages: { id: string; extensions: string[]; configuration: string }[];
    grammars: { language: string; path: string }[];
    walkthroughs: {
      steps: { description: string; media: { svg: string }; completionEvents: string[] }[];
    }[];
  };
  capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] } };
  activationEvents: string[];
  icon: string;
  main: string;
}

const text = readFileSync(path.join(ROOT, 'package.json'), 'utf8');
const manifest = JSON.parse(text) as Manifest;
const nls = JSON.parse(readFileSync(path.join(ROOT, 'package.nls.json'), 'utf8')) as Record<string, string>;
const contributed = manifest.contributes.commands.map(({ command }) => command);
const views = Object.values(manifest.contributes.views).flat();
const settings = Object.assign({}, ...manifest.contributes.configuration.map(({ properties }) => properties)) as Record<
  string,
  { default: unknown; scope?: string }
>;

/** Commands of VS Code itself that we link to, and those that it makes for each view. */
const BUILT_IN = ['workbench.trust.manage', ...views.map(({ id }) => `${id}.focus`)];

function linked(markdown: string): string[] {
  return [...markdown.matchAll(/\(command:([\w.-]+)/g)].map((match) => match[1] ?? '');
}

function localised(value: string): string {
  const key = /^%(.+)%$/.exec(value)?.[1];
  return key === undefined ? value : (nls[key] ?? `missing: ${key}`);
}

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    return statSync(file).isDirectory() ? sources(file) : file.endsWith('.ts') ? [file] : [];
  });
}

describe('commands', () => {
  test('what is contributed is what is registered', () => {
    expect(contributed.toSorted()).toEqual([...COMMAND_IDS].toSorted());
  });

  test('menus, welcome texts, walkthrough, tooltips and buttons link only to commands that exist', () => {
    const { menus, viewsWelcome, walkthroughs } = manifest.contributes;
    const steps = walkthroughs.flatMap((walkthrough) => walkthrough.steps);
    const used = [
      ...Object.values(menus).flatMap((items) => items.map(({ command }) => command)),
      ...viewsWelcome.flatMap(({ contents }) => linked(localised(contents))),
      ...steps.flatMap(({ description }) => linked(localised(description))),
      ...steps.flatMap((step) => step.completionEvents).flatMap((event) => /^onCommand:(.+)$/.exec(event)?.[1] ?? []),
      ...MENU.map(({ command }) => command),
      ...PROBLEM_COMMANDS,
      ...HOVER_COMMANDS,
    ];
    const known = new Set<string>([...contributed, ...BUILT_IN]);
    expect(used.filter((command) => !known.has(command))).toEqual([]);
  });

  test('those that need an argument are not in the palette', () => {
    const palette = manifest.contributes.menus['commandPalette'] ?? [];
    const hidden = palette.filter(({ when }) => when === 'false').map(({ command }) => command);
    expect(hidden).toEqual(expect.arrayContaining(['compilescope.openSource', 'compilescope.openDiff']));
  });

  test('a command in an editor or view title has an icon', () => {
    const { menus, commands } = manifest.contributes;
    const icons = new Map(commands.map(({ command, icon }) => [command, icon]));
    const inTitle = [...(menus['editor/title'] ?? []), ...(menus['view/title'] ?? [])];
    expect(inTitle.filter(({ command }) => icons.get(command) === undefined)).toEqual([]);
  });
});

describe('texts', () => {
  test('every text that the manifest names is there, and every one there is named', () => {
    const named = [...text.matchAll(/"%([^"%]+)%"/g)].map((match) => match[1] ?? '');
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(nls).toSorted());
  });

  test('settings that a text mentions exist', () => {
    const mentioned = Object.values(nls).flatMap((value) =>
      [...value.matchAll(/`#([\w.]+)#`/g)].map((match) => match[1] ?? ''),
    );
    expect(mentioned.filter((key) => !(key in settings))).toEqual([]);
  });
});

describe('settings', () => {
  test('there are at most 25, each with a default, a scope and a place under compilescope.', () => {
    const entries = Object.entries(settings);
    expect(entries.length).toBeLessThanOrEqual(25);
    for (const [key, setting] of entries) {
      expect(key).toMatch(/^compilescope\./);
      expect(setting, key).toHaveProperty('default');
      expect(setting, key).toHaveProperty('scope');
    }
  });

  test('each one is read somewhere, and nothing reads one that is not there', () => {
    const code = sources(path.join(ROOT, 'extension/src'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const read = [...code.matchAll(/\.get(?:<[^(]*>)?\(\s*'([\w.]+)'/g)].map(
      (match) => `compilescope.${match[1] ?? ''}`,
    );
    // The language client reads this one by itself.
    const all = [...new Set([...read, 'compilescope.trace.server'])];
    expect(all.toSorted()).toEqual(Object.keys(settings).toSorted());
  });

  test('what decides which program runs is not taken from an untrusted workspace', () => {
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(supported).toBe('limited');
    for (const key of ['interpreter', 'server.interpreter', 'args', 'cwd', 'env', 'traceOnSave']) {
      expect(restrictedConfigurations).toContain(`compilescope.${key}`);
    }
    expect(restrictedConfigurations.filter((key) => !(key in settings))).toEqual([]);
  });
});

describe('views and files', () => {
  test('welcome texts belong to views that exist, and every view has one', () => {
    const ids = new Set(views.map(({ id }) => id));
    const welcomed = new Set(manifest.contributes.viewsWelcome.map(({ view }) => view));
    expect(welcomed).toEqual(ids);
  });

  test('every empty state of the runs view has a text', () => {
    const states = manifest.contributes.viewsWelcome.filter(({ view }) => view === 'compilescope.runs');
    expect(states.map(({ when }) => when)).toEqual([
      "isWorkspaceTrusted && compilescope.empty == 'no-recording'",
      '!isWorkspaceTrusted',
      "isWorkspaceTrusted && compilescope.empty == 'no-torch'",
    ]);
  });

  test('icons, pictures and the language of graph texts are there', () => {
    const files = [
      manifest.icon,
      ...manifest.contributes.viewsContainers.activitybar.map(({ icon }) => icon),
      ...views.map(({ icon }) => icon),
      ...manifest.contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.svg)),
      ...manifest.contributes.languages.map(({ configuration }) => configuration),
      ...manifest.contributes.grammars.map((grammar) => grammar.path),
    ];
    expect(files.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });

  test('the texts of graphs have a language, which colours names, types and operators', () => {
    const [language] = manifest.contributes.languages;
    const [grammar] = manifest.contributes.grammars;
    const { path: file } = graphUriParts({ recording: 'r', snapshot: 's' }, 'a pass');
    expect(language?.extensions).toEqual([path.extname(file)]);
    expect(grammar?.language).toBe(language?.id);
    const { patterns } = JSON.parse(readFileSync(path.join(ROOT, grammar?.path ?? ''), 'utf8')) as {
      patterns: { match: string; name?: string }[];
    };
    const found = (line: string, name: string): string | undefined => {
      const match = patterns.find((pattern) => pattern.name?.startsWith(name))?.match;
      return match === undefined ? undefined : new RegExp(match).exec(line)?.[0];
    };
    const line = '%mean: f32[8, 1] = aten.mean.dim(%arg2_1, [-1], True, dtype=torch.float32)  # a, b';
    expect(patterns.flatMap(({ match }) => new RegExp(match).exec(line)?.slice(1) ?? [])).toEqual([
      '%mean',
      ':',
      'f32',
    ]);
    expect(found(line, 'entity.name.function')).toBe('aten.mean.dim');
    expect(found(line, 'constant.language')).toBe('True');
    expect(found(line, 'variable.parameter')).toBe('dtype');
    expect(found(line, 'comment')).toBe('  # a, b');
    expect(found('%x: f32[] = input', 'keyword.other.input')).toBe('input');
  });

  test('it is active for Python files and for its panels after a reload, and never by default', () => {
    expect(manifest.activationEvents).toEqual([
      'onLanguage:python',
      ...PANEL_KINDS.map((kind) => `onWebviewPanel:compilescope.${kind}`),
    ]);
  });
});
