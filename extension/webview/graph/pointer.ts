/** Mouse, pen and wheel on the canvas. */
import type { Box, Path } from './scene';
import type { Camera } from './state';

const DRAG_FROM = 4;
/** Size of the part of a group's header that opens and closes it. */
const CHEVRON = { width: 22, height: 28 };

export interface PointerEvents {
  /** A box, or the background, was clicked. `chevron`: on a group's chevron. */
  click(box: Box | null, chevron: boolean): void;
  open(box: Box): void;
  hover(box: Box | null, path: Path | null): void;
}

/** What the pointer moves and looks at; places are in pixels of the canvas. */
export interface Ground {
  readonly camera: Camera;
  boxAt(x: number, y: number): Box | null;
  pathAt(x: number, y: number): Path | null;
  pan(dx: number, dy: number): void;
  zoom(factor: number, at: { x: number; y: number }): void;
}

export function listen(canvas: HTMLCanvasElement, ground: Ground, events: PointerEvents): void {
  let down: { x: number; y: number; dragged: boolean } | null = null;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button > 1) return;
    down = { x: event.offsetX, y: event.offsetY, dragged: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!down) {
      const box = ground.boxAt(event.offsetX, event.offsetY);
      const isInside = box !== null && box.kind !== 'frame';
      events.hover(box, isInside ? null : ground.pathAt(event.offsetX, event.offsetY));
      return;
    }
    const [dx, dy] = [event.offsetX - down.x, event.offsetY - down.y];
    if (!down.dragged && Math.hypot(dx, dy) < DRAG_FROM) return;
    down.dragged = true;
    canvas.classList.add('dragging');
    ground.pan(-dx, -dy);
    down.x = event.offsetX;
    down.y = event.offsetY;
  });
  canvas.addEventListener('pointerup', (event) => {
    canvas.classList.remove('dragging');
    if (down && !down.dragged && event.button === 0) {
      const box = ground.boxAt(event.offsetX, event.offsetY);
      events.click(box, box !== null && isOnChevron(box, ground.camera, event.offsetX, event.offsetY));
    }
    down = null;
  });
  canvas.addEventListener('pointerleave', () => events.hover(null, null));
  canvas.addEventListener('dblclick', (event) => {
    const box = ground.boxAt(event.offsetX, event.offsetY);
    if (box) events.open(box);
  });
  canvas.addEventListener('wheel', (event) => onWheel(event, ground), { passive: false });
}

function isOnChevron(box: Box, { x, y, scale }: Camera, px: number, py: number): boolean {
  const [right, below] = [x + px / scale - box.x, y + py / scale - box.y];
  return box.kind !== 'node' && right < CHEVRON.width && below < CHEVRON.height;
}

function onWheel(event: WheelEvent, ground: Ground): void {
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 16 : 1;
  if (event.ctrlKey || event.metaKey) {
    const step = Math.max(-60, Math.min(60, event.deltaY * unit));
    ground.zoom(Math.exp(-step * 0.008), { x: event.offsetX, y: event.offsetY });
  } else if (event.shiftKey && event.deltaX === 0) ground.pan(event.deltaY * unit, 0);
  else ground.pan(event.deltaX * unit, event.deltaY * unit);
}
