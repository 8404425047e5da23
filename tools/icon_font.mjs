// Of the icon font and its style rules only what the panels' scripts name: a twentieth of it.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import subsetFont from 'subset-font';

const RULE = /\.codicon-([\w-]+):before\s*\{\s*content:\s*"\\([0-9a-f]+)";?\s*\}/g;

/** Keeps, in the built panels, icons whose name stands in a script as a text of its own. */
export async function keepNamedIcons(folder) {
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const texts = new Set();
  for (const name of scripts) {
    for (const [text] of readFileSync(join(folder, name), 'utf8').matchAll(/(?<=["'`])[a-z][a-z0-9-]*(?=["'`])/g)) {
      texts.add(text);
    }
  }
  const [style, font] = [join(folder, 'base.css'), join(folder, 'codicon.ttf')];
  let kept = '';
  const rules = readFileSync(style, 'utf8').replace(RULE, (rule, name, code) => {
    if (!texts.has(name)) return '';
    kept += String.fromCodePoint(parseInt(code, 16));
    return rule;
  });
  if (kept === '') throw new Error(`${style} has no rule of an icon that a panel names`);
  writeFileSync(font, await subsetFont(readFileSync(font), kept, { targetFormat: 'truetype' }));
  writeFileSync(style, rules);
}
