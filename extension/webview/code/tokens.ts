/** Syntax colours of one line of code, by highlight.js; what it says is read as text and never becomes markup. */
import hljs from 'highlight.js/lib/core';
import cpp from 'highlight.js/lib/languages/cpp';
import llvm from 'highlight.js/lib/languages/llvm';
import python from 'highlight.js/lib/languages/python';
import { mlir, ptx } from './grammars';

export type Language = 'python' | 'cpp' | 'mlir' | 'llvm' | 'ptx';

/** `kind` is the class of the colour: keyword, fn, string, number, type, comment; empty for none. */
export interface Token {
  readonly text: string;
  readonly kind: string;
}

hljs.registerLanguage('python', python);
hljs.registerLanguage('cpp', cpp);
hljs.registerLanguage('llvm', llvm);
hljs.registerLanguage('mlir', mlir);
hljs.registerLanguage('ptx', ptx);

const KINDS: Readonly<Partial<Record<string, string>>> = {
  keyword: 'keyword',
  literal: 'keyword',
  built_in: 'fn',
  title: 'fn',
  string: 'string',
  number: 'number',
  type: 'type',
  symbol: 'type',
  comment: 'comment',
  doctag: 'comment',
  meta: 'type',
  variable: 'var',
};
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};
const PART = /<span class="hljs-([a-z_]+)[^"]*">|<\/span>|&(?:amp|lt|gt|quot|#x27);|[^<&]+/g;
const LONGEST = 2000;
const MOST_KEPT = 4000;

const kept = new Map<string, readonly Token[]>();

export function tokens(line: string, language: Language): readonly Token[] {
  if (line.length > LONGEST) return [{ text: line, kind: '' }];
  const key = `${language} ${line}`;
  let found = kept.get(key);
  if (found === undefined) {
    found = parse(hljs.highlight(line, { language, ignoreIllegals: true }).value);
    if (kept.size > MOST_KEPT) kept.clear();
    kept.set(key, found);
  }
  return found;
}

function parse(markup: string): Token[] {
  const found: Token[] = [];
  const open: string[] = [];
  for (const match of markup.matchAll(PART)) {
    const part = match[0];
    const scope = match.at(1);
    if (scope !== undefined) open.push(KINDS[scope] ?? open.at(-1) ?? '');
    else if (part === '</span>') open.pop();
    else {
      const kind = open.at(-1) ?? '';
      const text = ENTITIES[part] ?? part;
      const last = found.at(-1);
      if (last?.kind === kind) found[found.length - 1] = { text: last.text + text, kind };
      else found.push({ text, kind });
    }
  }
  return found;
}
