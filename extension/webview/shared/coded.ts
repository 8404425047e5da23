/** Texts with code in backticks, and lines of Python with their words marked. */
import { html, type TemplateResult } from 'lit';

/** A text of ours: what stands in backticks is code. */
export function coded(text: string): TemplateResult[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

const TOKEN =
  /(?<comment>#.*)|(?<string>[rbfuRBFU]{0,2}(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?))|(?<number>\b\d[\d._]*(?:e[-+]?\d+)?j?\b)|(?<word>[A-Za-z_]\w*)|(?<other>\s+|[^\sA-Za-z_\d"'#]+|.)/gu;
const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case'.split(
    ' ',
  ),
);

interface Piece {
  readonly text: string;
  readonly kind: string;
  readonly start: number;
}

function kindOf(groups: Readonly<Partial<Record<string, string>>>, called: boolean): string {
  if (groups['comment'] !== undefined) return 'comment';
  if (groups['string'] !== undefined) return 'string';
  if (groups['number'] !== undefined) return 'number';
  if (groups['word'] === undefined) return '';
  return KEYWORDS.has(groups['word']) ? 'keyword' : called ? 'called' : '';
}

/** The words of one line; a string that goes on over lines is not known as one. */
export function pythonPieces(line: string): Piece[] {
  const pieces: Piece[] = [];
  for (const match of line.matchAll(TOKEN)) {
    const text = match[0];
    const start = match.index;
    const kind = kindOf(match.groups ?? {}, line.charAt(start + text.length) === '(');
    pieces.push({ text, kind, start });
  }
  return pieces;
}

/** A line of Python; what is from `start` up to `end` is marked. */
export function pythonLine(line: string, start = -1, end = -1): TemplateResult[] {
  const cut = (piece: Piece): Piece[] => {
    const last = piece.start + piece.text.length;
    const bounds = [piece.start, start, end, last].filter((at) => at >= piece.start && at <= last);
    const places = [...new Set(bounds)].toSorted((a, b) => a - b);
    return places.slice(0, -1).map((from, at) => ({ ...piece, start: from, text: line.slice(from, places[at + 1]) }));
  };
  const long = line.length > 400 ? `${line.slice(0, 400)}…` : line;
  return pythonPieces(long)
    .flatMap(cut)
    .map(({ text, kind, start: at }) => {
      const marked = at >= start && at < end ? 'marked' : '';
      return html`<span class="${kind === '' ? '' : `py-${kind}`} ${marked}">${text}</span>`;
    });
}
