/** What the panel keeps over a reload. */
import type { Target } from '../../src/shared/messages';
import type { Pair } from './diff';
import type { Position } from './stages';

export const STATE_VERSION = 3;

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

export type ColourBy = 'kind' | 'module' | 'time' | 'kernel' | 'dtype' | 'change';
/** Which side of a comparison is drawn. */
export type Side = 'overlay' | 'before' | 'after';
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
  /** The same of a filtered graph. */
  openFiltered: string[] | null;
  /** The states that are compared; null: one state is shown. */
  diff: Pair | null;
  side: Side;
  changedOnly: boolean;
  /** Name of the selected node, or id of the selected group. */
  node: string | null;
  group: string | null;
  query: string;
  /** Only so many edges around the selection; 0: all. */
  hops: number;
  /** Node around which `hops` counts. */
  hopsFrom: string | null;
  /** Only what lies between two nodes; `to` null: the other end is still to be chosen. */
  path: { from: string; to: string | null } | null;
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
  openFiltered: null,
  diff: null,
  side: 'overlay',
  changedOnly: false,
  node: null,
  group: null,
  query: '',
  hops: 0,
  hopsFrom: null,
  path: null,
  thisLine: false,
  colourBy: 'kind',
  view: 'graph',
  detailsClosed: false,
  legendClosed: null,
  detailsWidth: 320,
  scroll: 0,
};

/** No filter but "changed only", which is of a comparison. */
export const UNFILTERED = { hops: 0, hopsFrom: null, path: null, thisLine: false, openFiltered: null } as const;
