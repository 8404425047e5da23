/** Where a line of code is broken so that it fits: at spaces and after punctuation, with a hanging indent. */

/** A piece of a line: from and to in its text, and the columns that it is moved in by. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly indent: number;
}

const HANGING = 4;
const LEAST = 12;
const BREAK = /[\s,;()[\]{}=+*/|&<>-]/;

/** Columns that a text takes in a font of one width: wide characters take two. */
export function columns(text: string): number {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (isWide(text.charCodeAt(i))) wide++;
  return text.length + wide;
}

const isWide = (code: number): boolean =>
  code >= 0x1100 &&
  (code <= 0x115f ||
    (code >= 0x2e80 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xff60));

/** The pieces of a line that is `width` columns wide at most; one piece for what fits, or when `width` is null. */
export function wrap(text: string, width: number | null): Piece[] {
  if (width === null || columns(text) <= width) return [{ from: 0, to: text.length, indent: 0 }];
  const own = text.length - text.trimStart().length;
  const hanging = Math.min(own + HANGING, Math.max(0, width - LEAST));
  const pieces: Piece[] = [];
  let from = 0;
  while (from < text.length) {
    const indent = from === 0 ? 0 : hanging;
    const to = end(text, from, Math.max(LEAST, width - indent), from === 0 ? own : from);
    pieces.push({ from, to, indent });
    from = to;
    while (from < text.length && text[from] === ' ') from++;
  }
  return pieces;
}

/** Where a piece ends that starts at `from`; breaks are looked for after `least`. */
function end(text: string, from: number, room: number, least: number): number {
  let used = 0;
  let at = from;
  let good = -1;
  while (at < text.length) {
    used += isWide(text.charCodeAt(at)) ? 2 : 1;
    if (used > room) break;
    at++;
    if (at > least && BREAK.test(text[at - 1] ?? '')) good = at;
  }
  if (at >= text.length) return text.length;
  const half = from + (at - from) / 3;
  const to = good > half ? good : Math.max(at, from + 1);
  const code = text.charCodeAt(to);
  return code >= 0xdc00 && code <= 0xdfff ? to + 1 : to;
}
