// Written by tools/generate_protocol.py from protocol.py and shapes/ of pyserver/compilescope/lsp. Do not edit.

/** One compile of a recording. */
export interface ArtifactsParams {
  recording: string;
  compileId: string;
}

/** One text. `log` and `offset` are for `compilescope/eventText`; `attempt`: of a compile that began anew. */
export interface ArtifactInfo {
  name: string;
  attempt: string | null;
  bytes: number;
  log: string;
  offset: number;
}

/** The texts in the order in which they were written. */
export interface ArtifactsResult {
  artifacts: ArtifactInfo[];
}

/**
 * The generated code of one graph; without `graph` of the first of the compile, without that of the first.
 *
 * `file` and `line` (from 0): without a graph, rather of one that computes something of this line.
 */
export interface CodeParams {
  recording: string;
  compileId: string | null;
  graph: string | null;
  file: string | null;
  line: number | null;
}

/** A source expression: position of its file in `CodeResult.files`, and its range (from 0, in UTF-16). */
export interface ExpressionInfo {
  file: number;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  text: string;
}

/** A file as it was traced; `lines` is empty when its text is not known. */
export interface SourceFile {
  path: string;
  lines: string[];
}

/** A node after the last pass. `expressions`: positions, its own first; `why`: why no kernel computes it. */
export interface CodeNodeInfo {
  name: string;
  op: string;
  target: string;
  args: string;
  shape: string;
  dtype: string;
  module: string;
  expressions: number[];
  why: string | null;
}

/**
 * One call of a kernel. Lines count from 1; null where it is a library's, or not known.
 *
 * `nodes`, `expressions`: positions; `main`: the expression of most of its operations, -1 for none. `stages`: those of
 * Triton's that are recorded; `figures`: what Triton said of it. `fused`: why its loops are one kernel, as the end of
 * a sentence; `hints`: sentences.
 */
export interface CodeKernelInfo {
  name: string;
  kind: string;
  language: string;
  operator: string | null;
  start: number | null;
  end: number | null;
  call: number | null;
  nodes: number[];
  expressions: number[];
  main: number;
  stages: string[];
  figures: string[];
  fused: string | null;
  hints: string[];
}

/** Lines (from 1) that can be shown as one. `kind`: kernel (`label` is its name) or other. */
export interface FoldInfo {
  start: number;
  end: number;
  kind: string;
  label: string;
}

/**
 * Code of a graph. `kind`: cpp or triton; `bands`: the expression of each line, -1 for none.
 *
 * `preview`: what a GPU would run, with its `limits` in words.
 */
export interface CodeTextInfo {
  kind: string;
  file: string;
  text: string;
  bands: number[];
  folds: FoldInfo[];
  kernels: CodeKernelInfo[];
  preview: boolean;
  limits: string[];
}

/**
 * `compiles`: those with code and the one asked for, for the picker; `graphs`: those of this compile.
 *
 * `note`: what is not known, or why there is no code; then `cause` says the same in a word: capture, cache, failed,
 * hook, backend, foreign, nothing, eager, empty.
 */
export interface CodeResult {
  compiles: CompileInfo[];
  compileId: string | null;
  graph: string | null;
  graphs: string[];
  expressions: ExpressionInfo[];
  files: SourceFile[];
  nodes: CodeNodeInfo[];
  texts: CodeTextInfo[];
  note: string | null;
  cause: string | null;
}

/** What Triton made of a kernel. `preview`: of the kernel that a GPU would run. */
export interface KernelStagesParams {
  recording: string;
  compileId: string | null;
  graph: string | null;
  kernel: string;
  preview: boolean;
}

/**
 * One of Triton's stages: ttir, ttgir, llir, ptx, amdgcn. `bands` as in CodeTextInfo.
 *
 * `data`: first and last line (from 1) of what is only debug data, flattened.
 */
export interface KernelStageInfo {
  stage: string;
  text: string;
  bands: number[];
  data: number[];
}

/** The recorded stages, in order. */
export interface KernelStagesResult {
  stages: KernelStageInfo[];
}

/** A Python file: its path or URI. */
export interface CoverageParams {
  file: string;
}

/**
 * Lines from `start` to `end`, from 0 and both included, as they are in the file now.
 *
 * `state`: `captured`, `eager`, `skipped` or `not_run`. `stale`: they were edited since. `text`: plain words on what
 * became of them.
 */
export interface CoverageRegion {
  start: number;
  end: number;
  state: string;
  stale: boolean;
  text: string;
}

/** A function by the line of its `def`, from 0. `percent` of its lines that ran is in graphs; null: none ran. */
export interface CoverageFunction {
  name: string;
  line: number;
  percent: number | null;
}

/**
 * Compile coverage of a file by the runs on show; no functions when none knows it. `run`: which run, in words.
 *
 * `percent` of the lines of all functions that ran; null: none ran.
 */
export interface CoverageResult {
  functions: CoverageFunction[];
  regions: CoverageRegion[];
  percent: number | null;
  run: string;
}

/** A folder or file on the machine that a log was written on, and what it is here. */
export interface MappedPath {
  there: string;
  here: string;
}

/** All that is set; of several prefixes that fit a path the longest counts. */
export interface PathMappingsParams {
  mappings: MappedPath[];
}

/** What `there` may be here. `files` of the log are below both, `agree` of `compared` lines of them are equal. */
export interface PathCandidate {
  there: string;
  here: string;
  files: number;
  agree: number;
  compared: number;
}

/** The files of a recording are not here, but these folders have such files: one, or several alike. */
export interface PathGuess {
  recording: string;
  candidates: PathCandidate[];
}

/** A file that a recording names. Without a recording: one that is open. */
export interface LogSourceParams {
  file: string;
  recording: string | null;
}

/**
 * The file's text as far as the recording has it, each line in its place; `known` of them are there.
 *
 * `whole`: it is all of the file. Gaps say so in a comment.
 */
export interface LogSourceResult {
  text: string;
  known: number;
  whole: boolean;
}

/** A fix of a finding: where that starts in `file` as it was traced (from 0), its `code`, and the fix's title. */
export interface FixChoice {
  file: string;
  line: number;
  character: number;
  code: string;
  fix: string;
}

/** Fixes of findings of one recording, to be made together. */
export interface FixParams {
  recording: string;
  fixes: FixChoice[];
}

/**
 * Fixes of findings of one recording, to be tried together and made when they are proven.
 *
 * `python`, `env`: as in TraceParams.
 */
export interface FixAndVerifyParams {
  recording: string;
  fixes: FixChoice[];
  python: string | null;
  env: Record<string, string>;
}

/** A file that was changed, its text before and after, and the line (from 0, of after) of the last change in it. */
export interface FixedFile {
  file: string;
  before: string;
  after: string;
  line: number;
}

/**
 * What became of fixes. `message`: ready to show; empty when nothing needs to be said.
 *
 * `status`: applied; unproven (tried, and not applied because of what `message` says); refused (not applied, and
 * not tried); cancelled. `files`: what was changed. `values`: what differed, as text. `note`: what was proven, short
 * enough to stand beside the change.
 */
export interface FixResult {
  status: string;
  message: string;
  files: FixedFile[];
  values: string | null;
  note: string | null;
  problem: Problem | null;
}

/** A page to open: an address that a finding or a code action named. */
export interface ExplainParams {
  href: string;
}

/**
 * One recorded state of one graph. `unavailable`: why it was not recorded; then `snapshot` is null.
 *
 * `cause` says the same in a word: capture, cache, failed, hook, backend, foreign, nothing.
 */
export interface StageInfo {
  graph: string;
  stage: string;
  position: string;
  label: string;
  snapshot: string | null;
  nodes: number;
  edges: number;
  unavailable: string | null;
  cause: string | null;
}

/** The stages of one compile; of the whole recording without a compile id. */
export interface StagesParams {
  recording: string;
  compileId: string | null;
}

/** One compile as the pickers of the panels name it. */
export interface CompileInfo {
  id: string;
  title: string;
}

/**
 * What a compile failed with. `reason`: torch's words; `node` is the suspect, in `snapshot`, the last graph.
 *
 * `line` and `character` count from 0.
 */
export interface FailureInfo {
  title: string;
  reason: string;
  node: string | null;
  snapshot: string | null;
  file: string | null;
  line: number;
  character: number;
}

/**
 * `compiles`: all compiles of the recording, for the picker. `note`: why there are no stages.
 *
 * `failure`: of the compile that was asked for, null when it did not fail.
 */
export interface StagesResult {
  compiles: CompileInfo[];
  stages: StageInfo[];
  note: string | null;
  failure: FailureInfo | null;
}

/** One snapshot of one recording. */
export interface GraphParams {
  recording: string;
  snapshot: string;
}

/**
 * One call of a kernel. `file` and `line` (from 1): where it stands in generated code, or is called there.
 *
 * `kind`: cpp, triton, template, extern, fallback, wrapper, other. `seconds`: of one call, null if not measured.
 */
export interface KernelInfo {
  name: string;
  kind: string;
  language: string;
  operator: string | null;
  nodes: number;
  file: string | null;
  line: number | null;
  seconds: number | null;
}

/**
 * A graph in columns. `edges` are pairs of node positions, flattened (from, to, from, to).
 *
 * `module`: position in `modules`, -1 for none; `file`: position in `files`, -1 for none. `line`, `column`, `end_line`
 * and `end_column` count from 0 in UTF-16, -1 for unknown. `kind` is the colour group: matmul, pointwise, reduction,
 * view, input, output, kernel, extern, fallback, other. `kernel`: positions in `kernels` (all calls, in order) that
 * compute a node; empty where no kernels are recorded of this graph.
 */
export interface GraphResult {
  snapshot: string;
  names: string[];
  ops: string[];
  targets: string[];
  args: string[];
  kinds: string[];
  dtypes: string[];
  shapes: string[];
  strides: string[];
  devices: string[];
  module: number[];
  modules: string[][];
  file: number[];
  files: string[];
  line: number[];
  column: number[];
  endLine: number[];
  endColumn: number[];
  code: string[];
  origins: string[][];
  edges: number[];
  kernel: number[][];
  kernels: KernelInfo[];
}

/** Two snapshots of one recording. */
export interface GraphDiffParams {
  recording: string;
  before: string;
  after: string;
}

/**
 * Two snapshots laid over each other. `states`, one a node: same, added, removed, changed.
 *
 * `edge_states` has one entry for each edge of `graph`: same, added, removed. `was`: what a changed node called
 * before. `replaces`: the removed nodes that an added one stands for. `delta`: (|V1| - |V2|) + (|E1| - |E2|).
 */
export interface GraphDiffResult {
  graph: GraphResult;
  states: string[];
  was: string[];
  replaces: string[][];
  edgeStates: string[];
  nodesBefore: number;
  nodesAfter: number;
  edgesBefore: number;
  edgesAfter: number;
  delta: number;
}

/** One node of one snapshot. */
export interface LineageParams {
  recording: string;
  snapshot: string;
  node: string;
}

/** What a node was or became at one recorded stage. `here`: the stage that was asked about. */
export interface LineageStep {
  graph: string;
  stage: string;
  position: string;
  label: string;
  snapshot: string;
  nodes: string[];
  here: boolean;
}

/** A line of the program; `line` counts from 1. */
export interface LineInfo {
  file: string;
  line: number;
  code: string;
}

/**
 * The stages that a node came from and went to, in order, and the kernels that compute it in the end.
 *
 * `lines`: of the nodes after the last pass that it is or was made from.
 */
export interface LineageResult {
  steps: LineageStep[];
  kernels: KernelInfo[];
  lines: LineInfo[];
}

/** The text of one snapshot, for the diff editor. */
export interface GraphTextParams {
  recording: string;
  snapshot: string;
}

/** Readable text, one node a line. */
export interface GraphTextResult {
  text: string;
}

/** A folder, as its path or URI. */
export interface JobsParams {
  path: string;
}

/**
 * One of them. `recording`: what to open; `title`: what was run, or `Job 2`; `words`: when, ranks, torch, size.
 *
 * `started`: null where it is not known.
 */
export interface JobInfo {
  recording: string;
  title: string;
  words: string;
  started: string | null;
}

/** What is in the folder, the newest first; empty unless there are several to choose from. */
export interface JobsResult {
  jobs: JobInfo[];
}

/** A byte of a log of a recording, from 0; of a packed log of its text. */
export interface LogPlaceParams {
  recording: string;
  log: string;
  offset: number;
}

/**
 * A part of a line of the text, in UTF-16 code units, that stands for something else in the same log.
 *
 * `name`: of the event that begins at `offset`, for `compilescope/eventText`; null for another damaged place.
 */
export interface LogLink {
  line: number;
  start: number;
  end: number;
  offset: number;
  name: string | null;
  compileId: string | null;
}

/** The lines around the byte, long ones cut; those from `line` to `end_line`, from 0, are what it is about. */
export interface LogPlaceResult {
  text: string;
  line: number;
  endLine: number;
  links: LogLink[];
}

/** Which logs torch has, for a run in `cwd` with `python`; null for the server's own choice. */
export interface LogNamesParams {
  python: string | null;
  cwd: string | null;
}

/**
 * One name for `TraceParams.logs`. `kind`: component (which has levels) or artifact.
 *
 * `off_by_default`: an artifact that no level of its component brings.
 */
export interface LogNameInfo {
  name: string;
  kind: string;
  description: string;
  offByDefault: boolean;
}

/** All names that this torch has. `problem`: why they can't be asked for. */
export interface LogNamesResult {
  torch: string | null;
  names: LogNameInfo[];
  problem: Problem | null;
}

/** What one run recorded of torch's logs. */
export interface LogCountsParams {
  recording: string;
}

/** What setting a log to this level would print, higher levels included. `size`: `bytes` in words, `52.8 KB`. */
export interface LogLevelInfo {
  level: string;
  records: number;
  bytes: number;
  size: string;
}

/**
 * How much of one log there is. `recorded_from`: its lowest level that was asked for; null when not known.
 *
 * `levels`: from the lowest that was recorded to the highest.
 */
export interface LogCountInfo {
  name: string;
  component: string;
  kind: string;
  recordedFrom: string | null;
  levels: LogLevelInfo[];
}

/** The log with most bytes first. `dropped`: records that were only counted. */
export interface LogCountsResult {
  logs: LogCountInfo[];
  dropped: number;
}

/** The records of some logs, components or artifacts, from a level on; of all logs without names. */
export interface LogTextParams {
  recording: string;
  names: string[];
  level: string;
}

/** The records as text in the order in which they were made. */
export interface LogTextResult {
  text: string;
}

/** The runs view and the panels should ask again for `recording`; for all when it is null. */
export interface RunsChanged {
  recording: string | null;
}

/** For the status bar: `state` is idle, starting, tracing; `text` is ready to show. */
export interface StatusChanged {
  state: string;
  text: string;
  tooltip: string;
  breaks: number;
  recompiles: number;
  skipped: number;
  errors: number;
  graphs: number;
}

/** A piece of what the user's program printed. */
export interface ProgramOutput {
  text: string;
}

/** The passes of one compile; of the whole recording without a compile id. */
export interface PassesParams {
  recording: string;
  compileId: string | null;
}

/**
 * One match of a pattern in a pass: the nodes that it took and those made for it.
 *
 * `file` and `line` (from 1): where the first of them comes from; null when that is not known.
 */
export interface MatchInfo {
  pattern: string;
  target: string;
  nodes: string[];
  created: string[];
  file: string | null;
  line: number | null;
}

/**
 * One step of a graph. `before` and `after` are snapshots; null when there is nothing to compare.
 *
 * `kind`: pass, phase (a change of the compiler's that is no pass) or gap (a change that nothing observed). `source`:
 * the graph that `before` is of, when that is another one. `slot`: where the program registered a pass of its own.
 * `error` is the type of what the step raised, `message` its text. `why`: what is known about why a pass of the
 * program's changed nothing.
 */
export interface PassInfo {
  compileId: string;
  graph: string;
  phase: string;
  name: string;
  order: number;
  depth: number;
  seconds: number;
  nodesBefore: number | null;
  nodesAfter: number | null;
  edgesBefore: number | null;
  edgesAfter: number | null;
  delta: number | null;
  changed: boolean;
  custom: boolean;
  before: string | null;
  after: string | null;
  function: string | null;
  file: string | null;
  line: number | null;
  gap: boolean;
  error: string | null;
  kind: string;
  source: string | null;
  slot: string | null;
  message: string | null;
  matches: MatchInfo[];
  why: string | null;
}

/**
 * A pass that the program registered in `slot` and that did not run, and why. `compile_id`: null for in no compile.
 *
 * `line` counts from 1.
 */
export interface UnrunInfo {
  compileId: string | null;
  slot: string;
  function: string;
  file: string | null;
  line: number | null;
  reason: string;
}

/**
 * Passes in the order in which they ran. `overhead`: tracing overhead as a share, null if not measured.
 *
 * `note` says why there are none, and `cause` in a word: eager, or one of a stage's. `unrun`: the program's own that
 * did not run.
 */
export interface PassesResult {
  compiles: CompileInfo[];
  passes: PassInfo[];
  compileSeconds: number | null;
  overhead: number | null;
  note: string | null;
  cause: string | null;
  unrun: UnrunInfo[];
}

/** A range in a file. Lines and characters count from 0 in UTF-16; `text`: the program's there, if it is short. */
export interface GuardPlace {
  file: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  text: string | null;
}

/** The function that has this compile; without one, or if there is none, the dearest of the recording. */
export interface RecompilesParams {
  recording: string;
  compileId: string | null;
}

/**
 * A compiled function as the picker lists it, by its first compile. `line` counts from 1.
 *
 * `resumed`: it is the piece of a function that goes on after this line. `cost_s`: recompiling it and checking its
 * guards. `rank`: in a run with several.
 */
export interface FunctionChoice {
  compileId: string;
  function: string;
  file: string;
  line: number;
  versions: number;
  recompiles: number;
  costS: number;
  resumed: number | null;
  rank: number | null;
}

/** Why another version did not fit either. */
export interface AlsoFailed {
  version: string;
  about: string;
  check: string;
  old: string | null;
  new: string | null;
}

/**
 * Why a version was made: `about` (a row's) was `old` in `version`, and `new` in the call.
 *
 * `check` is what failed in words with code in backticks, `guard` torch's check, `words` all that torch said.
 * `place`: the line that the guard is for; `caller`: the call. The rest is the finding's.
 */
export interface CauseInfo {
  about: string;
  version: string;
  check: string;
  guard: string;
  old: string | null;
  new: string | null;
  words: string;
  place: GuardPlace | null;
  caller: GuardPlace | null;
  also: AlsoFailed[];
  explanation: string;
  write: string;
  note: string;
  hints: string[];
  code: string;
  fix: string | null;
}

/**
 * One version of a function. `status`: ok, failed, skipped, running. Null where not recorded.
 *
 * `calls`: how often it ran. `guards`: how many; `guard_s`: one look-up as torch timed it, with a cold cache. `dead`:
 * why no call can use it any more. `open`: something in it is variable. `read`: its cells are known.
 */
export interface VersionInfo {
  id: string;
  status: string;
  seconds: number;
  calls: number | null;
  guards: number | null;
  guardS: number | null;
  dead: string | null;
  open: boolean;
  read: boolean;
  cause: CauseInfo | null;
}

/**
 * What each version accepts of one thing, by version; null where a version does not look at it.
 *
 * A row that is the same in all has no `cells` and its text in `same`. `failures`: positions of the versions that
 * it made.
 */
export interface GuardRow {
  about: string;
  kind: string;
  place: GuardPlace | null;
  failures: number[];
  cells: (string | null)[];
  same: string | null;
}

/** How many versions count against a limit of torch's. `refused`: how often it did not compile another one. */
export interface LimitInfo {
  name: string;
  used: number;
  most: number;
  refused: number;
}

/** What one version accepts of a size or number, from `low` to `high`, null for no bound. `seen`: its first. */
export interface DimensionSpan {
  version: string;
  low: number | null;
  high: number | null;
  seen: string | null;
  text: string;
}

/**
 * A size or number that a version leaves open. `sentences`: why, with code in backticks.
 *
 * `place`: the line that limits it. `saves`: the version that is not needed if it is marked dynamic from the start.
 */
export interface DimensionInfo {
  expression: string;
  since: string;
  symbols: string[];
  spans: DimensionSpan[];
  sentences: string[];
  place: GuardPlace | null;
  saves: string | null;
}

/** A piece of a file as it was traced. `line` is that of the first, counted from 1. */
export interface SourceLines {
  file: string;
  line: number;
  lines: string[];
}

/**
 * The versions of one function and its guards: those that failed first, then those that differ, then the others.
 *
 * `guard_s` and `recompile_s` add up to the price; `calls` and `guard_s` are null where not recorded, `no_calls` and
 * `no_guards` say why. `more`: so many rows are left out. `unread`: versions whose guards
 * are left out because there are too many. `refusals`: what failed when torch compiled no further version.
 */
export interface RecompileTable {
  compileId: string;
  function: string;
  file: string;
  line: number;
  resumed: number | null;
  versions: VersionInfo[];
  rows: GuardRow[];
  more: number;
  calls: number | null;
  guardS: number | null;
  recompileS: number;
  recompiles: number;
  limit: LimitInfo | null;
  refusals: CauseInfo[];
  dimensions: DimensionInfo[];
  source: SourceLines | null;
  unread: number;
  noCalls: string | null;
  noGuards: string | null;
}

/** `functions`: all that were compiled, the dearest first. `table` is null when nothing was compiled. */
export interface RecompilesResult {
  functions: FunctionChoice[];
  table: RecompileTable | null;
}

/** The guards of one compile. */
export interface GuardTreeParams {
  recording: string;
  compileId: string;
}

/**
 * A guard, or a value that guards are on with all below it. The list is in the order of the tree.
 *
 * `depth` counts from 0. `text`: the value or what is checked, in short; `code`: the whole check. `kind`: torch's kind
 * of a guard, empty for a value. `checks`: how many guards it stands for. `about`: the rows that a guard is
 * in.
 */
export interface GuardNode {
  depth: number;
  text: string;
  code: string;
  kind: string;
  checks: number;
  about: string[];
  place: GuardPlace | null;
}

/**
 * `latency_us`: one look-up of the whole tree, timed once with a cold cache; torch times no guard alone.
 *
 * `left_out`: so many guards more are not in `nodes`.
 */
export interface GuardTreeResult {
  latencyUs: number | null;
  count: number;
  nodes: GuardNode[];
  leftOut: number;
}

/** Run a script (or module) under the tracer. `python`: null for the server's own choice. */
export interface TraceParams {
  script: string | null;
  module: string | null;
  args: string[];
  cwd: string | null;
  python: string | null;
  depth: string;
  timeoutS: number | null;
  env: Record<string, string>;
  target: string | null;
  inputs: string[];
  profile: boolean;
  logs: string | null;
}

/** A place in a Python file: its path or URI, and a line from 0. */
export interface TargetAtParams {
  file: string;
  line: number;
}

/**
 * A function or nn.Module class that can be traced by itself.
 *
 * `made`, `inputs`: expressions to propose for `TraceParams.target` and `TraceParams.inputs`. `signature`: its own.
 */
export interface TargetInfo {
  file: string;
  name: string;
  made: string;
  inputs: string;
  signature: string;
}

/** The target at that place; null when there is none. */
export interface TargetAtResult {
  target: TargetInfo | null;
}

/** Something that went wrong: what, why, and the commands of the buttons that mend it. */
export interface Problem {
  code: string;
  title: string;
  detail: string;
  actions: string[];
}

/**
 * How the run ended. `problem` when it could not be run or ended in another way than by itself.
 *
 * `difference`: to the run of the script before it, `2 fixed, 1 new`; null when there was none, or it ended early.
 */
export interface TraceResult {
  recording: string | null;
  exitCode: number | null;
  status: string;
  findings: number;
  problem: Problem | null;
  difference: string | null;
}

/** A recording folder, or a TORCH_TRACE file or folder. */
export interface OpenRecordingParams {
  path: string;
}

/** `problem` when it can't be read. No recording and no problem: the user gave up waiting. */
export interface OpenRecordingResult {
  recording: string | null;
  findings: number;
  problem: Problem | null;
}

/** Cancel the run that goes on, if any. */
export type CancelParams = Record<string, never>;

/** Take off the findings of all runs, for later sessions too; recordings stay on disk. */
export type ClearParams = Record<string, never>;

/** Done; `count` says how many. */
export interface Done {
  count: number;
}

/** An interpreter to use from now on; null to go back to the server's own choice. */
export interface InterpreterParams {
  python: string | null;
}

/** What that interpreter is. */
export interface InterpreterResult {
  python: string | null;
  version: string | null;
  torch: string | null;
  problem: Problem | null;
}

/** Whether to show likely breaks of functions that nothing has traced yet. */
export interface StaticHintsParams {
  enabled: boolean;
}

/**
 * One row of the runs view. `status`: running, finished, cancelled, timed-out, killed, failed.
 *
 * `script`: the file that was run, null when it was a module or the recording does not say. `cleared`: the user took
 * its findings off, in this session or an earlier one, and they are not on show. `target`, `inputs`: what was called
 * when the script was not run as a whole. `cost`: what tracing cost, in words.
 */
export interface RunSummary {
  recording: string;
  title: string;
  status: string;
  started: string | null;
  wallS: number | null;
  exitCode: number | null;
  depth: string | null;
  torch: string | null;
  graphs: number;
  breaks: number;
  recompiles: number;
  errors: number;
  script: string | null;
  cleared: boolean;
  target: string | null;
  inputs: string[];
  cost: string | null;
}

/** One compile of one frame. `label` is what tells it from its neighbours, `0/1  sigma 1.0 → 0.5`. */
export interface CompileSummary {
  id: string;
  label: string;
  status: string;
  seconds: number;
  nodes: number;
}

/** A compiled function with its compiles. `line` counts from 1. */
export interface FunctionSummary {
  name: string;
  file: string;
  line: number;
  seconds: number;
  graphs: number;
  breaks: number;
  recompiles: number;
  skipped: boolean;
  compiles: CompileSummary[];
}

/**
 * One finding as the runs view lists it, dearest first. `line` and `character` count from 0.
 *
 * `file_note`: that the file is not on this machine or has another line, with that of the log.
 */
export interface FindingSummary {
  rule: string;
  severity: string;
  title: string;
  file: string | null;
  line: number;
  character: number;
  count: number;
  costS: number;
  fileNote: string | null;
}

/** Nothing to ask. */
export type RunsParams = Record<string, never>;

/** All runs that the server knows, newest first. */
export interface RunsResult {
  runs: RunSummary[];
}

/** Which run: the path of its recording. */
export interface RunDetailParams {
  recording: string;
}

/** One thing to say of the ranks of a job; `groups`: which ranks agree, and on what. */
export interface RankNote {
  title: string;
  groups: string[];
}

/** Something that a `torch.export` met. `line` counts from 0; null where the log names no place that is known. */
export interface ExportIssueNote {
  title: string;
  file: string | null;
  line: number | null;
}

/** One call of `torch.export`. `log`, `offset`: of the program, or the graph up to where it failed; may be null. */
export interface ExportNote {
  title: string;
  failed: boolean;
  issues: ExportIssueNote[];
  log: string | null;
  offset: number | null;
}

/** A place of a log that could not be read: the byte where it begins, of a packed log in its text, and why. */
export interface DamageNote {
  log: string;
  offset: number;
  problem: string;
}

/** The places that could not be read, the first of each log first. `more`: how many are not listed. */
export interface DamageNotes {
  title: string;
  places: DamageNote[];
  more: number;
}

/**
 * What the runs view shows inside one run. `ranks`: empty without several; the first one counts the rest.
 *
 * `damage`: null where all could be read.
 */
export interface RunDetailResult {
  run: RunSummary;
  functions: FunctionSummary[];
  findings: FindingSummary[];
  notes: string[];
  ranks: RankNote[];
  exports: ExportNote[];
  damage: DamageNotes | null;
}

/**
 * A step of one compile: `key` is capture, aot, passes, lowering, guards or code; `note` is ready to show.
 *
 * `seconds`: forward and backward; null when they were not recorded.
 */
export interface StepSummary {
  key: string;
  seconds: number | null;
  note: string;
}

/** One call of a kernel. `nodes`: how many it computes; `line` counts from 0; `operator`: of a library call. */
export interface KernelSummary {
  name: string;
  kind: string;
  graph: string;
  nodes: number;
  operator: string | null;
  file: string | null;
  line: number | null;
}

/** One compile of a recording. */
export interface CompileDetailParams {
  recording: string;
  compileId: string;
}

/** What the runs view shows inside one compile, beside its passes. */
export interface CompileDetailResult {
  steps: StepSummary[];
  kernels: KernelSummary[];
}

/** Which run: the path of its recording. */
export interface RunTextParams {
  recording: string;
}

/** A run without its times, as text to compare with another. */
export interface RunTextResult {
  text: string;
}

/** Which two runs: the paths of their recordings. */
export interface RunDiffParams {
  before: string;
  after: string;
}

/** What changed from one run to the other, as Markdown without links; `summary`: in a line. */
export interface RunDiffResult {
  text: string;
  summary: string;
}

/** A finding, by what does not change while a recording is open. Positions count from 0, in UTF-16 code units. */
export interface FindingPlace {
  rule: string;
  file: string | null;
  line: number;
  character: number;
}

/** What to write of a recording: a run as `html`, `sarif`, …, or one finding of it as Markdown. */
export interface ReportParams {
  recording: string;
  format: string;
  finding: FindingPlace | null;
}

/** A report, and the name that a file with it may have. */
export interface ReportResult {
  name: string;
  text: string;
}

/**
 * A text to look for in all of a recording, or in the `kinds` of things that are named.
 *
 * Letters match in both cases unless `case`; `regex`: the text is a regular expression of Python's. `limit` ends the
 * search after so many hits, `per_kind` that of each kind; 0 for none. With a `partial_result_token` hits are sent as
 * they are found, as LSP's `$/progress` with a `SearchBatch`, and the result has none.
 */
export interface SearchParams {
  recording: string;
  text: string;
  regex: boolean;
  case: boolean;
  kinds: string[];
  limit: number;
  perKind: number;
  partialResultToken: string | number | null;
}

/**
 * One line with the text, or several alike (`count`, in so many `compiles`). docs/search.md has what each kind has.
 *
 * `start` and `end`: the match in `text`.
 * Lines and columns count from 1. `log` and `offset` are for `compilescope/eventText`.
 */
export interface SearchHit {
  kind: string;
  text: string;
  start: number;
  end: number;
  name: string;
  title: string | null;
  compileId: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
  stage: string | null;
  snapshot: string | null;
  node: string | null;
  order: number | null;
  event: string | null;
  log: string | null;
  offset: number | null;
  payloadLine: number | null;
  count: number;
  compiles: number;
}

/** Hits that were found since the last batch. */
export interface SearchBatch {
  hits: SearchHit[];
}

/**
 * How a search ended: `count` hits in all. `cut`: kinds that have more than `per_kind`.
 *
 * `stopped`: limit, too-slow (a regular expression on one text), or null when everything was searched; `at`: the kind
 * that was searched then. `left_out`: hits that are not listed, by kind; 10,000 may be more.
 */
export interface SearchResult {
  hits: SearchHit[];
  count: number;
  stopped: string | null;
  cut: string[];
  at: string | null;
  leftOut: Record<string, number>;
}

/** An event by its log and by the byte at which it starts there. */
export interface EventTextParams {
  recording: string;
  log: string;
  offset: number;
}

/** An event as text: its envelope as comments, then its payload, whose first line is `first_line`, from 0. */
export interface EventTextResult {
  text: string;
  firstLine: number;
}

/** Which recording to write as which file. `leave_out`: kinds as `compilescope pack --redact` has them. */
export interface PackParams {
  recording: string;
  file: string;
  leaveOut: string[];
}

/**
 * What came of it: neither a file nor a problem when the user gave up.
 *
 * `words`: how large it is; `left_out`: what is not in it, with how much, empty where nothing was to be left out.
 */
export interface PackResult {
  file: string | null;
  words: string;
  leftOut: string;
  problem: Problem | null;
}

/** The timeline of a recording. */
export interface TimelineParams {
  recording: string;
}

/** A thread, a thread that only compiles kernels (`worker`), or the calls of compiled graphs (`calls`). */
export interface TimelineLane {
  name: string;
  kind: string;
  process: number;
  pid: number | null;
  rank: number | null;
  rows: number;
}

/** A line of the program, from 1, with its text where it is known. */
export interface TimelinePlace {
  file: string;
  line: number;
  text: string;
}

/** Something that happened at one moment: `first`, `recompile`, `failure` or `end`; `text` says what. */
export interface TimelineMark {
  time: number;
  kind: string;
  text: string;
  process: number;
  compileId: string | null;
  place: number | null;
}

/** A stage of a compile, as a word and as it is called. */
export interface TimelineStage {
  key: string;
  title: string;
}

/** What a pass, a span, did to its graph. `order`: of the pass in its process. `snapshot`: the graph after it. */
export interface TimelineStep {
  span: number;
  order: number;
  nodesBefore: number | null;
  nodesAfter: number | null;
  changed: boolean;
  custom: boolean;
  snapshot: string | null;
}

/** Time of one stage of one compile: of a place, or of the whole graph, and then `what` says of what. */
export interface TimelineCost {
  compileId: string | null;
  place: number | null;
  what: string;
  stage: number;
  time: number;
}

/**
 * Spans in columns, by lane and start, a parent before what lies in it.
 *
 * `name` (torch's), `label` (ours), `compile`, `graph` and `kernel` are places in `TimelineResult.texts`, `stage` and
 * `place` in its lists of that name; -1 for none. `parent` is a span. `own`: time that no span in it took.
 */
export interface TimelineSpans {
  lane: number[];
  row: number[];
  parent: number[];
  start: number[];
  time: number[];
  own: number[];
  stage: number[];
  name: number[];
  label: number[];
  compile: number[];
  graph: number[];
  kernel: number[];
  place: number[];
}

/**
 * `time`: from the first to the last moment. `open`: spans that had not ended.
 *
 * `capture`, `compile`, `guard`, `execute`: the parts of T_total in seconds, where known. `overhead`: tracing overhead
 * as a share. `running`: more may come.
 */
export interface TimelineResult {
  time: number;
  running: boolean;
  compiles: string[];
  compileTitles: string[];
  stages: TimelineStage[];
  texts: string[];
  places: TimelinePlace[];
  lanes: TimelineLane[];
  spans: TimelineSpans;
  open: number[];
  steps: TimelineStep[];
  marks: TimelineMark[];
  costs: TimelineCost[];
  capture: number | null;
  compile: number | null;
  guard: number | null;
  execute: number | null;
  overhead: number | null;
}

/** A folder that a job writes to, now or later. */
export interface WatchParams {
  path: string;
}

/** A folder that is watched; null for all. */
export interface UnwatchParams {
  path: string | null;
}

/**
 * `state`: waiting (nothing there yet), following, gone. `words` are ready to show.
 *
 * `polling`: why it is only looked at now and then, `nfs4`; null where the file system tells of changes.
 * `ended`: the last process that ended in the middle of a compile, in words; null while none has.
 */
export interface WatchedFolder {
  path: string;
  state: string;
  words: string;
  polling: string | null;
  recordings: number;
  ended: string | null;
}

/** All folders that are watched. */
export interface Watched {
  folders: WatchedFolder[];
}

/** Requests to the server, by method. */
export interface ServerRequests {
  'compilescope/trace': { params: TraceParams; result: TraceResult };
  'compilescope/cancel': { params: CancelParams; result: Done };
  'compilescope/targetAt': { params: TargetAtParams; result: TargetAtResult };
  'compilescope/clear': { params: ClearParams; result: Done };
  'compilescope/openRecording': { params: OpenRecordingParams; result: OpenRecordingResult };
  'compilescope/jobs': { params: JobsParams; result: JobsResult };
  'compilescope/watch': { params: WatchParams; result: Watched };
  'compilescope/unwatch': { params: UnwatchParams; result: Done };
  'compilescope/setPathMappings': { params: PathMappingsParams; result: Done };
  'compilescope/logSource': { params: LogSourceParams; result: LogSourceResult };
  'compilescope/setInterpreter': { params: InterpreterParams; result: InterpreterResult };
  'compilescope/runs': { params: RunsParams; result: RunsResult };
  'compilescope/runDetail': { params: RunDetailParams; result: RunDetailResult };
  'compilescope/compileDetail': { params: CompileDetailParams; result: CompileDetailResult };
  'compilescope/artifacts': { params: ArtifactsParams; result: ArtifactsResult };
  'compilescope/runText': { params: RunTextParams; result: RunTextResult };
  'compilescope/runDiff': { params: RunDiffParams; result: RunDiffResult };
  'compilescope/report': { params: ReportParams; result: ReportResult };
  'compilescope/pack': { params: PackParams; result: PackResult };
  'compilescope/stages': { params: StagesParams; result: StagesResult };
  'compilescope/graph': { params: GraphParams; result: GraphResult };
  'compilescope/graphDiff': { params: GraphDiffParams; result: GraphDiffResult };
  'compilescope/lineage': { params: LineageParams; result: LineageResult };
  'compilescope/passes': { params: PassesParams; result: PassesResult };
  'compilescope/graphText': { params: GraphTextParams; result: GraphTextResult };
  'compilescope/code': { params: CodeParams; result: CodeResult };
  'compilescope/kernelStages': { params: KernelStagesParams; result: KernelStagesResult };
  'compilescope/recompiles': { params: RecompilesParams; result: RecompilesResult };
  'compilescope/guardTree': { params: GuardTreeParams; result: GuardTreeResult };
  'compilescope/timeline': { params: TimelineParams; result: TimelineResult };
  'compilescope/coverage': { params: CoverageParams; result: CoverageResult };
  'compilescope/logNames': { params: LogNamesParams; result: LogNamesResult };
  'compilescope/logCounts': { params: LogCountsParams; result: LogCountsResult };
  'compilescope/logText': { params: LogTextParams; result: LogTextResult };
  'compilescope/search': { params: SearchParams; result: SearchResult };
  'compilescope/eventText': { params: EventTextParams; result: EventTextResult };
  'compilescope/logPlace': { params: LogPlaceParams; result: LogPlaceResult };
  'compilescope/setStaticHints': { params: StaticHintsParams; result: Done };
  'compilescope/applyFix': { params: FixParams; result: FixResult };
  'compilescope/fixAndVerify': { params: FixAndVerifyParams; result: FixResult };
}

/** Notifications from the server, by method. */
export interface ServerNotifications {
  'compilescope/runsChanged': RunsChanged;
  'compilescope/status': StatusChanged;
  'compilescope/output': ProgramOutput;
  'compilescope/watched': Watched;
  'compilescope/pathGuess': PathGuess;
}
