/** What the panel keeps over a reload. */
import type { Target } from '../../src/shared/messages';

export const STATE_VERSION = 1;

export type Tab = 'cpp' | 'triton' | 'ttir' | 'ttgir' | 'llir' | 'ptx';

export const TABS: readonly { id: Tab; label: string }[] = [
  { id: 'cpp', label: 'C++' },
  { id: 'triton', label: 'Triton' },
  { id: 'ttir', label: 'TTIR' },
  { id: 'ttgir', label: 'TTGIR' },
  { id: 'llir', label: 'LLIR' },
  { id: 'ptx', label: 'PTX' },
];

export interface UiState {
  version: typeof STATE_VERSION;
  /** For the host, which restores the panel. */
  target: Target | null;
  recording: string | null;
  compileId: string | null;
  graph: string | null;
  tab: Tab | null;
  /** Path of the file in the first column. */
  file: string | null;
  /** Position of the kernel that is shown, of the group and the node that are selected. */
  kernel: number | null;
  group: number | null;
  node: number | null;
  /** Folds that are not as they are at first. */
  toggled: string[];
  wrap: boolean;
  follow: boolean;
  /** Whether the graph is shown in a narrow panel. */
  graphShown: boolean;
  /** Widths in pixels; null: in proportion. */
  sourceWidth: number | null;
  graphWidth: number | null;
}

export const INITIAL: UiState = {
  version: STATE_VERSION,
  target: null,
  recording: null,
  compileId: null,
  graph: null,
  tab: null,
  file: null,
  kernel: null,
  group: null,
  node: null,
  toggled: [],
  wrap: true,
  follow: true,
  graphShown: false,
  sourceWidth: null,
  graphWidth: null,
};
