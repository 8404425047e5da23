/** Draws the edges of a scene. */
import type { Theme } from '../shared/theme';
import { drawnOn, type Look } from './look';
import type { Path, Scene } from './scene';

/** Below this scale paths are straight and have no arrows. */
const DETAIL_FROM = 0.18;
const BEND = 5;

interface Pen {
  readonly line: Path2D;
  readonly heads: Path2D;
}

const pen = (): Pen => ({ line: new Path2D(), heads: new Path2D() });

export function paintPaths(
  context: CanvasRenderingContext2D,
  theme: Theme,
  scene: Scene,
  look: Look,
  paths: readonly number[],
  scale: number,
  hovered: Path | null,
): void {
  const pens = { same: pen(), thin: pen(), added: pen(), removed: pen(), hot: pen(), hover: pen() };
  const detail = scale >= DETAIL_FROM;
  for (const i of paths) {
    const path = scene.paths[i];
    if (!drawnOn(look.side, path.change)) continue;
    const isHot = look.hot.has(path.segment);
    const change = path.change === 'changed' ? 'same' : path.change;
    const own = path === hovered ? 'hover' : isHot ? 'hot' : path.thin ? 'thin' : change;
    trace(pens[own].line, path, detail);
    if (path.arrow && detail) arrow(pens[own].heads, path, own === 'hot' || own === 'hover' ? 4 : 3);
  }
  context.lineJoin = 'round';
  const plain = theme.highContrast ? theme.foreground : theme.edge;
  const active = theme.contrastActive || theme.focus;
  const width = Math.max(1.1, 0.5 / scale);
  const draw = ({ line, heads }: Pen, colour: string, lineWidth: number, dash: number[] = [], alpha = 1): void => {
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = lineWidth;
    context.globalAlpha = alpha;
    context.setLineDash(dash);
    context.stroke(line);
    context.setLineDash([]);
    context.fill(heads);
    context.globalAlpha = 1;
  };
  draw(pens.same, plain, width, [], detail ? 1 : 0.5);
  draw(pens.thin, plain, width, [3, 3], 0.7);
  draw(pens.removed, theme.removed, width * 1.15, [5, 3.5]);
  draw(pens.added, theme.added, width * 1.25);
  draw(pens.hot, active, Math.max(1.8, 1 / scale));
  draw(pens.hover, theme.foreground, Math.max(1.8, 1 / scale));
}

function trace(line: Path2D, { points }: Path, round: boolean): void {
  line.moveTo(points[0], points[1]);
  const last = points.length - 2;
  for (let p = 2; p < last; p += 2) {
    if (!round) {
      line.lineTo(points[p], points[p + 1]);
      continue;
    }
    const before = Math.hypot(points[p] - points[p - 2], points[p + 1] - points[p - 1]);
    const after = Math.hypot(points[p + 2] - points[p], points[p + 3] - points[p + 1]);
    line.arcTo(points[p], points[p + 1], points[p + 2], points[p + 3], Math.min(BEND, before / 2, after / 2));
  }
  line.lineTo(points[last], points[last + 1]);
}

function arrow(heads: Path2D, { points }: Path, half: number): void {
  const last = points.length - 2;
  const [x, y] = [points[last], points[last + 1]];
  const dx = Math.sign(x - points[last - 2]);
  const dy = Math.sign(y - points[last - 1]);
  const length = half * 1.9;
  heads.moveTo(x, y);
  heads.lineTo(x - dx * length - dy * half, y - dy * length - dx * half);
  heads.lineTo(x - dx * length + dy * half, y - dy * length + dx * half);
  heads.closePath();
}
