/** The kinds of steps in the list, and the passes that did not run as steps of a kind of their own. */
import type { PassesResult, PassInfo, UnrunInfo } from '../../src/shared/messages';

export const UNRUN = 'unrun';

export const isPass = (step: PassInfo): boolean => step.kind === 'pass';
/** A pass that ran, and of which nobody recorded what it did to the graph: torch's own log has its time alone. */
export const isUnseen = (step: PassInfo): boolean => isPass(step) && !step.changed && step.nodesBefore === null;
export const isUnrun = (step: PassInfo): boolean => step.kind === UNRUN;

/** A gap has no time, and of several graphs that a phase gives at once only the first. */
export const hasTime = ({ kind, seconds }: PassInfo): boolean => kind === 'pass' || (kind === 'phase' && seconds > 0);

/** Passes that did not run; `message` is the reason. Their `order` is below 0, so that it is no other step's. */
export const unrunSteps = ({ unrun }: PassesResult): PassInfo[] => unrun.map(unrunStep);

const unrunStep = (one: UnrunInfo, index: number): PassInfo => ({
  compileId: one.compileId ?? '',
  graph: '',
  phase: UNRUN,
  name: one.slot,
  order: -1 - index,
  depth: 0,
  seconds: 0,
  nodesBefore: null,
  nodesAfter: null,
  edgesBefore: null,
  edgesAfter: null,
  delta: null,
  changed: false,
  custom: true,
  before: null,
  after: null,
  function: one.function,
  file: one.file,
  line: one.line,
  gap: false,
  error: null,
  kind: UNRUN,
  source: null,
  slot: one.slot,
  message: one.reason,
  matches: [],
  why: null,
});
