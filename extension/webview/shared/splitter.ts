/** A bar between two parts of a panel that sets the size of one of them, by mouse and by arrow keys. */
import { html, type TemplateResult } from 'lit';

export interface Split {
  readonly label: string;
  /** Width in pixels and its bounds. */
  readonly width: number;
  readonly least: number;
  readonly most: number;
  /** The part that is sized is right of the bar. */
  readonly right: boolean;
  /** The parts are above each other: `width` is a height, and `right` the lower part. */
  readonly rows?: boolean;
  set(width: number): void;
}

const STEP = 16;

export function splitter(split: Split): TemplateResult {
  const { label, width, least, most, right, rows = false } = split;
  const set = (next: number): void => split.set(Math.round(Math.max(least, Math.min(most, next))));
  const onPointer = (event: PointerEvent): void => {
    const bar = event.currentTarget as HTMLElement;
    bar.setPointerCapture(event.pointerId);
    const from = rows ? event.clientY : event.clientX;
    const move = (now: PointerEvent): void => {
      const moved = (rows ? now.clientY : now.clientX) - from;
      set(width + (right ? -moved : moved));
    };
    const up = (): void => {
      bar.removeEventListener('pointermove', move);
      bar.removeEventListener('pointerup', up);
    };
    bar.addEventListener('pointermove', move);
    bar.addEventListener('pointerup', up);
  };
  const onKey = (event: KeyboardEvent): void => {
    const [less, more] = rows ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight'];
    const step = event.key === less ? -STEP : event.key === more ? STEP : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    set(width + (right ? -step : step));
  };
  return html`<div
    class="splitter ${rows ? 'is-rows' : ''}"
    role="separator"
    tabindex="0"
    aria-orientation=${rows ? 'horizontal' : 'vertical'}
    aria-label=${label}
    aria-valuenow=${Math.round(width)}
    aria-valuemin=${Math.round(least)}
    aria-valuemax=${Math.round(most)}
    @pointerdown=${onPointer}
    @keydown=${onKey}
  ></div>`;
}
