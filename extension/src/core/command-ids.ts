/** The commands that the extension contributes; a test holds this equal to package.json. */
export const COMMAND_IDS = [
  'compilescope.trace',
  'compilescope.traceTarget',
  'compilescope.changeInputs',
  'compilescope.cancel',
  'compilescope.clear',
  'compilescope.showGraph',
  'compilescope.showPasses',
  'compilescope.showCode',
  'compilescope.showTimeline',
  'compilescope.showRecompiles',
  'compilescope.showOutput',
  'compilescope.showLogs',
  'compilescope.chooseLogs',
  'compilescope.openLog',
  'compilescope.toggleCoverage',
  'compilescope.restart',
  'compilescope.selectInterpreter',
  'compilescope.openRecording',
  'compilescope.locateRecording',
  'compilescope.watchFolder',
  'compilescope.stopWatching',
  'compilescope.copyInstallCommand',
  'compilescope.openSettings',
  'compilescope.showLastStep',
  'compilescope.showCompile',
  'compilescope.filterRuns',
  'compilescope.clearFilter',
  'compilescope.compareRuns',
  'compilescope.packRecording',
  'compilescope.showRanks',
  'compilescope.searchRecording',
  'compilescope.openReport',
  'compilescope.saveReport',
  'compilescope.copyMarkdown',
  'compilescope.applyFix',
  'compilescope.fixAndVerify',
  'compilescope.explain',
  'compilescope.openSource',
  'compilescope.openDiff',
  'compilescope.showStack',
  'compilescope.copyText',
  'compilescope.openCode',
] as const;

export type CommandId = (typeof COMMAND_IDS)[number];

/** The commands that a hover of the server may link to. */
export const HOVER_COMMANDS: readonly CommandId[] = [
  'compilescope.showGraph',
  'compilescope.showPasses',
  'compilescope.showCode',
  'compilescope.showTimeline',
  'compilescope.showRecompiles',
  'compilescope.showCompile',
  'compilescope.showStack',
  'compilescope.applyFix',
  'compilescope.fixAndVerify',
];

/** The commands that a hover or a code action of the server may run. */
export const SERVER_COMMANDS: readonly CommandId[] = [
  ...HOVER_COMMANDS,
  'compilescope.explain',
  'compilescope.copyMarkdown',
];
