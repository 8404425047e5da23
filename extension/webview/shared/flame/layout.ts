/** Where the lanes of a flame chart are, in pixels. */
import type { Lane } from './spans';

export const ROW = 22;
export const PITCH = 23;
export const RULER = 23;
export const MARKS = 21;
const PADDING = 3;
const LEAST_LABELS = 92;
const MOST_LABELS = 190;
const NO_LABELS = 12;

export interface Band {
  readonly top: number;
  readonly height: number;
  /** A line above it: another group begins. */
  readonly ruled: boolean;
}

export interface Layout {
  /** Width of the names of the lanes; without names a little room. */
  readonly labels: number;
  /** Height of ruler and marks, which do not scroll. */
  readonly head: number;
  readonly bands: readonly Band[];
  /** Of all lanes, without the head. */
  readonly height: number;
}

/** Places the lanes below each other; `measure` gives the width of a text. */
export function layoutOf(lanes: readonly Lane[], hasMarks: boolean, measure: (text: string) => number): Layout {
  const bands: Band[] = [];
  let top = 0;
  lanes.forEach((lane, number) => {
    const ruled = number > 0 && lane.group !== lanes[number - 1].group;
    if (number === 0 || ruled) top += PADDING;
    const height = lane.rows * PITCH + (lane.rows > 1 ? PADDING : 2);
    bands.push({ top, height, ruled });
    top += height + (lane.group === lanes[number + 1]?.group ? 0 : PADDING);
  });
  const widest = Math.max(0, ...lanes.map(({ name }) => measure(name)));
  return {
    labels: lanes.some(({ name }) => name !== '')
      ? Math.ceil(Math.min(MOST_LABELS, Math.max(LEAST_LABELS, widest + 24)))
      : NO_LABELS,
    head: RULER + (hasMarks ? MARKS : 0),
    bands,
    height: top,
  };
}

/** Top of a row of a lane. */
export const rowTop = (layout: Layout, lane: number, row: number): number => layout.bands[lane].top + row * PITCH;

/** The lane and row at a height; null between lanes. */
export function rowAt(layout: Layout, y: number): { lane: number; row: number } | null {
  const lane = layout.bands.findIndex(({ top, height }) => y >= top && y < top + height);
  if (lane < 0) return null;
  return { lane, row: Math.floor((y - layout.bands[lane].top) / PITCH) };
}
