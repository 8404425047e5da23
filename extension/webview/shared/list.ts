/** A long list with rows of one height, of which only the visible ones are in the page. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from '@tanstack/virtual-core';

export class LongList {
  readonly #changed: () => void;
  readonly #virtual: Virtualizer<HTMLElement, HTMLElement>;
  #element: HTMLElement | null = null;
  #unmount: (() => void) | null = null;
  #count = 0;
  readonly #size: (index: number) => number;

  /** `changed` is called when other rows became visible. */
  constructor(size: (index: number) => number, changed: () => void) {
    this.#size = size;
    this.#changed = changed;
    this.#virtual = new Virtualizer<HTMLElement, HTMLElement>(this.#options());
  }

  #options(): ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0] {
    return {
      count: this.#count,
      getScrollElement: () => this.#element,
      estimateSize: this.#size,
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      overscan: 8,
      onChange: () => this.#changed(),
    };
  }

  /** Call after each render with the scrolling element and the number of rows. */
  attach(element: HTMLElement | null, count: number): void {
    if (element !== this.#element) {
      this.#unmount?.();
      this.#unmount = null;
      this.#element = element;
      if (element) this.#unmount = this.#virtual._didMount();
    }
    if (count !== this.#count) this.resize(count);
    this.#virtual._willUpdate();
  }

  /** The number of rows, or their heights, changed. */
  resize(count: number): void {
    this.#count = count;
    this.#virtual.setOptions(this.#options());
    this.#virtual.measure();
  }

  get rows(): VirtualItem[] {
    return this.#virtual.getVirtualItems();
  }

  get height(): number {
    return this.#virtual.getTotalSize();
  }

  get offset(): number {
    return this.#element?.scrollTop ?? 0;
  }

  reveal(index: number, align: 'auto' | 'center' = 'auto'): void {
    if (index >= 0 && index < this.#count) this.#virtual.scrollToIndex(index, { align });
  }

  scrollTo(offset: number): void {
    if (this.#element) this.#element.scrollTop = offset;
  }
}
