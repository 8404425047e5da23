/** What the panel keeps over a reload. */
import type { Target } from '../../src/shared/messages';

export const STATE_VERSION = 1;

export interface UiState {
  version: typeof STATE_VERSION;
  /** For the host, which restores the panel. */
  target: Target | null;
  recording: string | null;
  /** The selected version. */
  compileId: string | null;
  /** `about` of the selected row. */
  about: string | null;
  /** The version to compare the selected one with; null: the one that did not fit. */
  other: string | null;
  /** Only the guards that failed and three more. */
  fewer: boolean;
  /** Columns by the guard that made them, not in the order in which they were made. */
  clustered: boolean;
  /** Values in the guard tree that are closed, by position. */
  closed: number[];
}

export const INITIAL: UiState = {
  version: STATE_VERSION,
  target: null,
  recording: null,
  compileId: null,
  about: null,
  other: null,
  fewer: true,
  clustered: false,
  closed: [],
};
