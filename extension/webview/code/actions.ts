/** What the parts of the page have the panel do. */
import type { Way } from '../shared/view';

export interface PageActions {
  go(way: Way): void;
  showKeys(): void;
  escape(): void;
  openFile(): void;
  find(words: string, by: 1 | -1): void;
}
