/** Registers the commands. */
import * as vscode from 'vscode';
import type { CommandId } from '../core/command-ids';
import { COMMAND_IDS } from '../core/command-ids';
import { problemOf } from '../core/problem';
import type { SourcePlace } from '../shared/messages';
import type { App } from './app';
import { copyText, openGeneratedCode } from './generated-code';
import { packRecording } from './packing';
import { notify } from './problems';
import type { DiffRequest } from './sources';
import { showStack } from './stack';
import { startWatching, stopWatching } from './watching';

export function registerCommands(app: App): vscode.Disposable[] {
  const handlers: Record<CommandId, (argument: unknown) => unknown> = {
    'compilescope.trace': (argument) => app.tracing.trace(argument),
    'compilescope.traceTarget': (argument) => app.tracing.traceTarget(argument),
    'compilescope.changeInputs': () => app.tracing.changeInputs(),
    'compilescope.cancel': () => app.tracing.cancel(),
    'compilescope.clear': () => app.clear(),
    'compilescope.showGraph': (argument) => app.showPanel('graph', argument),
    'compilescope.showPasses': (argument) => app.showPanel('passes', argument),
    'compilescope.showCode': (argument) => app.showPanel('code', argument),
    'compilescope.showTimeline': (argument) => app.showPanel('timeline', argument),
    'compilescope.showRecompiles': (argument) => app.showPanel('recompiles', argument),
    'compilescope.showOutput': () => {
      app.program.show(true);
    },
    'compilescope.showLogs': () => {
      app.log.show(true);
    },
    'compilescope.chooseLogs': (argument) => app.tracing.chooseLogs(argument),
    'compilescope.openLog': (argument) => app.openLog(argument),
    'compilescope.toggleCoverage': () => app.coverage.toggle(),
    'compilescope.restart': () => app.restart(),
    'compilescope.selectInterpreter': () => app.selectInterpreter(),
    'compilescope.openRecording': (argument) => app.openRecording(argument),
    'compilescope.locateRecording': (argument) => app.locateRecording(argument),
    'compilescope.watchFolder': (argument) => startWatching(app.watching, argument),
    'compilescope.stopWatching': () => stopWatching(app.watching),
    'compilescope.copyInstallCommand': () => app.copyInstallCommand(),
    'compilescope.openSettings': () =>
      vscode.commands.executeCommand('workbench.action.openSettings', '@ext:compilescope.compilescope'),
    'compilescope.showLastStep': () => app.showPanel('passes', undefined),
    'compilescope.showCompile': (argument) => app.showCompile(argument),
    'compilescope.filterRuns': () => app.runs.filter(),
    'compilescope.clearFilter': () => {
      app.clearFilter();
    },
    'compilescope.compareRuns': (argument) => app.runs.compare(argument),
    'compilescope.packRecording': (argument) => packRecording(app.packer, argument),
    'compilescope.searchRecording': (argument) => app.runs.search(argument),
    'compilescope.showRanks': (argument) => app.runs.showRanks(argument),
    'compilescope.openReport': (argument) => app.reports.open(argument),
    'compilescope.saveReport': (argument) => app.reports.save(argument),
    'compilescope.copyMarkdown': (argument) => app.reports.copy(argument),
    'compilescope.applyFix': (argument) => app.tracing.applyFix(argument),
    'compilescope.fixAndVerify': (argument) => app.tracing.fixAndVerify(argument),
    'compilescope.explain': (argument) => app.explain(argument),
    'compilescope.openSource': (argument) => app.sources.open(argument as SourcePlace),
    'compilescope.openDiff': (argument) => app.sources.diff(argument as DiffRequest),
    'compilescope.showStack': (argument) => showStack(argument, app.sources),
    'compilescope.copyText': (argument) => copyText(argument),
    'compilescope.openCode': (argument) => openGeneratedCode(argument),
  };
  return COMMAND_IDS.map((id) => vscode.commands.registerCommand(id, guarded(handlers[id])));
}

/** A command's failure is shown like every other problem, and not as VS Code's bare message. */
function guarded(handler: (argument: unknown) => unknown): (argument: unknown) => Promise<void> {
  return async (argument) => {
    try {
      await handler(argument);
    } catch (error) {
      await notify(problemOf(error));
    }
  };
}
