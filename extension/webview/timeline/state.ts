/** What the panel keeps over a reload. */
import type { Target } from '../../src/shared/messages';

export const STATE_VERSION = 1;

export interface UiState {
  version: typeof STATE_VERSION;
  /** For the host, which restores the panel. */
  target: Target | null;
  recording: string | null;
  /** The compile that is shown; null: all. */
  compileId: string | null;
  text: string;
  /** The selected span, by lane, row, start and label: its place changes while the run goes on. */
  span: string | null;
  /** Key of the selected row of the costs. */
  cost: string | null;
  /** What is in view, in microseconds; null: all. */
  from: number | null;
  to: number | null;
  list: boolean;
  /** Height of the costs and the details in pixels; null: what the chart leaves. */
  bottom: number | null;
}

export const INITIAL: UiState = {
  version: STATE_VERSION,
  target: null,
  recording: null,
  compileId: null,
  text: '',
  span: null,
  cost: null,
  from: null,
  to: null,
  list: false,
  bottom: null,
};
