/**
 * Messages between the extension host and a panel, in both directions.
 *
 * A panel asks for data by `request` and gets exactly one `response` with the same `id`; everything else is one-way.
 * The host forwards a request to the server as `compilescope/<method>` and never looks into its data.
 */

import type {
  CodeParams,
  CodeResult,
  GraphDiffParams,
  GraphDiffResult,
  GraphParams,
  GraphResult,
  GraphTextParams,
  GraphTextResult,
  GuardTreeParams,
  GuardTreeResult,
  KernelStagesParams,
  KernelStagesResult,
  LineageParams,
  LineageResult,
  PassesParams,
  PassesResult,
  Problem,
  RecompilesParams,
  RecompilesResult,
  StagesParams,
  StagesResult,
  TimelineParams,
  TimelineResult,
} from '../protocol.gen';
import type { PanelKind } from './panels';

export type {
  FailureInfo,
  CauseInfo,
  CodeKernelInfo,
  CodeNodeInfo,
  CodeResult,
  CodeTextInfo,
  CompileInfo,
  ExpressionInfo,
  DimensionInfo,
  DimensionSpan,
  FoldInfo,
  FunctionChoice,
  GraphDiffResult,
  GraphResult,
  GraphTextResult,
  GuardNode,
  GuardPlace,
  GuardRow,
  GuardTreeResult,
  KernelInfo,
  KernelStageInfo,
  KernelStagesResult,
  LineageResult,
  LineageStep,
  PassesResult,
  MatchInfo,
  PassInfo,
  UnrunInfo,
  Problem,
  RecompilesResult,
  RecompileTable,
  SourceLines,
  StageInfo,
  StagesResult,
  TimelineCost,
  TimelineLane,
  TimelineMark,
  TimelinePlace,
  TimelineResult,
  TimelineSpans,
  TimelineStage,
  TimelineStep,
  VersionInfo,
} from '../protocol.gen';

// --- requests --------------------------------------------------------------------------------------------------------

/** What a panel may ask; the key is the method without `compilescope/`. */
export interface Requests {
  stages: { params: StagesParams; result: StagesResult };
  graph: { params: GraphParams; result: GraphResult };
  graphDiff: { params: GraphDiffParams; result: GraphDiffResult };
  lineage: { params: LineageParams; result: LineageResult };
  passes: { params: PassesParams; result: PassesResult };
  graphText: { params: GraphTextParams; result: GraphTextResult };
  code: { params: CodeParams; result: CodeResult };
  kernelStages: { params: KernelStagesParams; result: KernelStagesResult };
  recompiles: { params: RecompilesParams; result: RecompilesResult };
  guardTree: { params: GuardTreeParams; result: GuardTreeResult };
  timeline: { params: TimelineParams; result: TimelineResult };
}

export type Method = keyof Requests;

/** For the host: the methods that it forwards. */
export const METHODS: readonly Method[] = [
  'stages',
  'graph',
  'graphDiff',
  'lineage',
  'passes',
  'graphText',
  'code',
  'kernelStages',
  'recompiles',
  'guardTree',
  'timeline',
];

// --- host → panel ----------------------------------------------------------------------------------------------------

/** What a panel is to show. Null parts are the panel's own choice; a part that is not there any more falls back. */
export interface Target {
  recording: string;
  compileId: string | null;
  /** A snapshot to open at once (graph panel) or the snapshot whose pass to select (pass panel). */
  snapshot: string | null;
  /** Name of a node to select. */
  node: string | null;
  /** `order` of a pass to select. */
  pass: number | null;
  /** Name of a kernel to select. */
  kernel: string | null;
  /** A place in the source whose nodes, kernels or finding to select. */
  source: SourcePlace | null;
}

/** A target that leaves the place to the panel. */
export function nowhere(recording: string): Target {
  return { recording, compileId: null, snapshot: null, node: null, pass: null, kernel: null, source: null };
}

export type ToPanel =
  /** First answer to `ready`, and whenever the user asks for something else. `target` null: there is no recording. */
  | { type: 'show'; target: Target | null }
  /** The recording has grown or ended; the panel asks again and keeps its place. `running`: more will come. */
  | { type: 'changed'; recording: string; running: boolean }
  /** The editor's cursor; `line` counts from 0. Null: no Python editor is active. */
  | { type: 'cursor'; at: { file: string; line: number } | null }
  /** Another panel has selected this. A panel that shows the same recording marks it, and never takes the focus. */
  | { type: 'selected'; selection: Selection }
  | { type: 'response'; id: number; result: Requests[Method]['result'] }
  | { type: 'response'; id: number; problem: Problem };

/** A text of generated code. */
export interface CodeAddress {
  recording: string;
  compileId: string | null;
  graph: string | null;
  /** `cpp` or `triton`; of a kernel one of Triton's stages. */
  kind: string;
  /** The kernel that a stage is of. */
  kernel: string | null;
  preview: boolean;
}

// --- panel → host ----------------------------------------------------------------------------------------------------

/** A place in a source file; lines and columns count from 0 in UTF-16. -1: unknown (the host takes the whole line). */
export interface SourcePlace {
  file: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

/** Ways out that an empty or failed panel offers; the host maps them to its commands. */
export type PanelAction =
  'trace' | 'traceFull' | 'traceWithoutCaches' | 'openRecording' | 'showOutput' | 'restartServer';

/** What is selected, so that the tree, the editor and the other panels can follow. None of them takes the focus. */
export type Selection = Target;

/** One changed pass of a comparison of several. */
export interface Change {
  title: string;
  /** Snapshots. */
  before: string;
  after: string;
}

/** A file that a panel has made, for the user to save. */
export interface MadeFile {
  /** Proposed name, with its extension. */
  name: string;
  content: string;
  encoding: 'utf8' | 'base64';
}

export type FromPanel =
  /** The panel listens. Sent once after each load; the host answers with `show`. */
  | { type: 'ready' }
  | { [M in Method]: { type: 'request'; id: number; method: M; params: Requests[M]['params'] } }[Method]
  /** Stop working on a request, its answer is of no use any more. */
  | { type: 'cancel'; id: number }
  | { type: 'openSource'; place: SourcePlace; preserveFocus: boolean }
  /** VS Code's own diff editor with the text of two snapshots. */
  | { type: 'openDiff'; recording: string; before: string; after: string; title: string }
  /** The texts of several pairs of snapshots in one of VS Code's multi-file diff editors. */
  | { type: 'openChanges'; recording: string; title: string; changes: Change[] }
  /** Open another panel there. */
  | { type: 'showPanel'; panel: PanelKind; target: Target }
  /** Ask where to save a file, and write it. */
  | { type: 'saveFile'; file: MadeFile }
  | { type: 'select'; selection: Selection }
  | { type: 'action'; action: PanelAction }
  /** A command from `Problem.actions`; the host runs only its own contributed commands. */
  | { type: 'command'; command: string }
  | { type: 'copy'; text: string }
  /** Something went wrong in the panel itself, for the output channel. */
  | { type: 'log'; text: string };
