/** One scrolling column of rows of different heights, of which only those in view are in the page. */
import { LongList } from '../shared/list';
import { groupsOf } from './anchor';
import type { Row } from './rows';
import { columns, type Piece, wrap } from './wrap';

export const LINE = 19;
const NONE: readonly Piece[] = [];

export class Column<R extends Row = Row> {
  rows: readonly R[] = [];
  /** Rows by the group that they are of, in order. */
  index: ReadonlyMap<number, readonly number[]> = new Map();
  /** The longest line, in characters. */
  longest = 0;
  #pieces: (readonly Piece[])[] = [];
  #tops = new Float64Array(1);
  #element: HTMLElement | null = null;
  #expected = -1;
  readonly #list: LongList;

  constructor(changed: () => void) {
    this.#list = new LongList((at) => (this.#tops[at + 1] ?? 0) - (this.#tops[at] ?? 0), changed);
  }

  /** Shows rows; `width`: characters in a line, null for lines as long as they are. */
  set(rows: readonly R[], width: number | null, expressions: (row: R) => readonly number[] = groupsOf): void {
    this.rows = rows;
    this.#pieces = rows.map((row) => (row.type === 'source' || row.type === 'code' ? wrap(row.text, width) : NONE));
    this.#tops = new Float64Array(rows.length + 1);
    const index = new Map<number, number[]>();
    this.longest = 0;
    rows.forEach((row, at) => {
      this.#tops[at + 1] = this.#tops[at] + LINE * Math.max(1, this.#pieces[at].length);
      if (width === null && (row.type === 'source' || row.type === 'code')) {
        this.longest = Math.max(this.longest, columns(row.text));
      }
      for (const group of expressions(row)) {
        const known = index.get(group);
        if (known) known.push(at);
        else index.set(group, [at]);
      }
    });
    this.index = index;
    this.#list.resize(rows.length);
  }

  attach(element: HTMLElement | null): void {
    this.#element = element;
    this.#list.attach(element, this.rows.length);
  }

  pieces(at: number): readonly Piece[] {
    return this.#pieces[at] ?? NONE;
  }

  top(at: number): number {
    return this.#tops[at] ?? 0;
  }

  middle(at: number): number {
    return (this.top(at) + this.top(at + 1)) / 2;
  }

  get total(): number {
    return this.#tops[this.rows.length] ?? 0;
  }

  get visible(): number[] {
    return this.#list.rows.map(({ index }) => index).filter((index) => index < this.rows.length);
  }

  get offset(): number {
    return this.#element?.scrollTop ?? 0;
  }

  get height(): number {
    return this.#element?.clientHeight ?? 0;
  }

  /** The row at a height of the column. */
  at(y: number): number {
    let low = 0;
    let high = this.rows.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (this.top(mid) <= y) low = mid;
      else high = mid - 1;
    }
    return low;
  }

  scrollTo(y: number): void {
    const most = Math.max(0, this.total + FOOT - this.height);
    const wanted = Math.round(Math.max(0, Math.min(most, y)));
    if (Math.abs(wanted - this.offset) < 1) return;
    this.#expected = wanted;
    this.#list.scrollTo(wanted);
  }

  /** Whether a scroll event is of the user's own doing. */
  get moved(): boolean {
    const own = Math.abs(this.offset - this.#expected) > 1.5;
    this.#expected = -1;
    return own;
  }

  /** Scrolls as little as is needed for a row to be in view, or puts it at a height of the view. */
  reveal(at: number, y: number | null = null): void {
    if (at < 0 || at >= this.rows.length) return;
    const top = this.top(at);
    if (y !== null) this.scrollTo(top - y);
    else if (top < this.offset + LINE) this.scrollTo(top - this.height / 3);
    else if (this.top(at + 1) > this.offset + this.height - LINE) this.scrollTo(top - (this.height * 2) / 3);
  }
}

/** Room below the last row. */
export const FOOT = 18;
