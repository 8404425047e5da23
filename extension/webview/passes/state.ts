/** What the panel keeps over a reload. */
import type { Target } from '../../src/shared/messages';
import type { Camera } from '../shared/flame/camera';

export const STATE_VERSION = 1;

export interface UiState {
  version: typeof STATE_VERSION;
  /** For the host, which restores the panel. */
  target: Target | null;
  recording: string | null;
  compileId: string | null;
  /** `order` of the selected pass, or the key of the selected phase. */
  pass: number | null;
  phase: string | null;
  text: string;
  hideUnchanged: boolean;
  closed: string[];
  dismissed: string[];
  scroll: number;
  /** Width of the list; null: in proportion. */
  listWidth: number | null;
  /** Height of the timeline; null: as it comes. */
  stripHeight: number | null;
  /** What is in view of the timeline, in microseconds; null: all. */
  camera: Camera | null;
}

export const INITIAL: UiState = {
  version: STATE_VERSION,
  target: null,
  recording: null,
  compileId: null,
  pass: null,
  phase: null,
  text: '',
  hideUnchanged: false,
  closed: [],
  dismissed: [],
  scroll: 0,
  listWidth: null,
  stripHeight: null,
  camera: null,
};
