/** What the panel keeps over a reload. */
import type { Target } from '../../src/shared/messages';
import type { Position } from './stages';

export const STATE_VERSION = 2;

/** How the camera shows the graph by itself: from the top and readable, or whole. */
export type Framing = 'start' | 'whole';

export interface Camera {
  /** Top left corner of the view in the drawing, and pixels per unit. */
  x: number;
  y: number;
  scale: number;
  /** Null: the user has moved the camera. */
  framing: Framing | null;
}

export type ColourBy = 'kind' | 'dtype' | 'module';
export type View = 'graph' | 'list';

export interface UiState {
  version: typeof STATE_VERSION;
  /** For the host, which restores the panel. */
  target: Target | null;
  recording: string | null;
  compileId: string | null;
  stage: string | null;
  direction: string | null;
  position: Position;
  /** Null: never moved, the panel chooses. */
  camera: Camera | null;
  /** The snapshot that the camera looks at. */
  cameraOf: string | null;
  /** Ids of open groups; null: never changed, the panel chooses. */
  open: string[] | null;
  /** Name of the selected node, or id of the selected group. */
  node: string | null;
  group: string | null;
  query: string;
  /** Only so many edges around the selection; 0: all. */
  hops: number;
  /** Node around which `hops` counts. */
  hopsFrom: string | null;
  thisLine: boolean;
  colourBy: ColourBy;
  view: View;
  detailsClosed: boolean;
  /** Null: never changed, closed where the drawing is low. */
  legendClosed: boolean | null;
  detailsWidth: number;
  scroll: number;
}

export const INITIAL: UiState = {
  version: STATE_VERSION,
  target: null,
  recording: null,
  compileId: null,
  stage: null,
  direction: null,
  position: 'after',
  camera: null,
  cameraOf: null,
  open: null,
  node: null,
  group: null,
  query: '',
  hops: 0,
  hopsFrom: null,
  thisLine: false,
  colourBy: 'kind',
  view: 'graph',
  detailsClosed: false,
  legendClosed: null,
  detailsWidth: 320,
  scroll: 0,
};
