/** What part of the time is in view. */

export interface Camera {
  readonly from: number;
  readonly to: number;
}

const MOST_ZOOM = 1e7;

/** A camera that shows all, with a little room at both ends. */
export function fit(length: number): Camera {
  const room = length * 0.012 || 1;
  return { from: -room, to: length + room };
}

/** Keeps a camera within what there is to see; as wide as that, it is `fit`. */
export function held({ from, to }: Camera, length: number): Camera {
  const all = fit(length);
  const least = (all.to - all.from) / MOST_ZOOM;
  const width = Math.max(to - from, least);
  if (width >= all.to - all.from) return all;
  const start = Math.min(Math.max(from, all.from), all.to - width);
  return { from: start, to: start + width };
}

/** Zooms by `factor` (above 1: closer) around a time that stays where it is. */
export function zoomed({ from, to }: Camera, factor: number, around: number, length: number): Camera {
  return held({ from: around - (around - from) / factor, to: around + (to - around) / factor }, length);
}

/** Moves by a share of the width. */
export function panned({ from, to }: Camera, share: number, length: number): Camera {
  const by = (to - from) * share;
  return held({ from: from + by, to: to + by }, length);
}

/** A camera that has a span in view: as it is when it has, else moved, closer only when asked for. */
export function revealing(camera: Camera, start: number, end: number, length: number, close = false): Camera {
  const width = camera.to - camera.from;
  if (close) {
    const room = Math.max((end - start) * 0.08, 1e-9);
    return held({ from: start - room, to: end + room }, length);
  }
  if (start >= camera.from && end <= camera.to) return camera;
  if (start < camera.to && end > camera.from && end - start >= width) return camera;
  const middle = end - start > width ? start + width * 0.45 : (start + end) / 2;
  return held({ from: middle - width / 2, to: middle + width / 2 }, length);
}

/** Times for a ruler: about one in `room` units, at 1, 2 or 5 times a power of ten. */
export function ticks({ from, to }: Camera, room: number): { step: number; times: number[] } {
  const rough = Math.max(room, (to - from) / 200);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
  const times: number[] = [];
  for (let number = Math.ceil(Math.max(from, 0) / step); number * step <= to; number++) times.push(number * step);
  return { step, times };
}
