/** One server process and the language client that speaks to it. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import type { LanguageClientOptions, Middleware } from 'vscode-languageclient/node';
import {
  CloseAction,
  CodeLensRequest,
  ErrorAction,
  LanguageClient,
  LSPErrorCodes,
  ErrorCodes,
  ProgressType,
  ResponseError,
  RevealOutputChannelOn,
} from 'vscode-languageclient/node';
import type { ServerNotifications, ServerRequests } from '../protocol.gen';
import { HOVER_COMMANDS, SERVER_COMMANDS } from '../core/command-ids';
import type { Connection, Ended } from '../core/server';
import { ConnectionLost } from '../core/server';
import type { Launch } from '../core/server-launch';
import { Tail } from '../core/tail';
import { pathMappings } from './elsewhere';

/** How long the server may take to shut down by itself. */
const SHUTDOWN_MS = 2_000;

export interface ClientSetup {
  channel: vscode.LogOutputChannel;
  middleware: Middleware;
  /** Whether to guess what was not traced yet. */
  staticHints: boolean;
  /** What was opened in an earlier session. */
  recordings: readonly string[];
  /** Where the process runs: the extension's own folder, so that nothing of the workspace gets into it. */
  cwd: string;
}

/** Never pops up messages of its own: what is worth saying, the extension says with a way out. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class ClientConnection implements Connection {
  readonly ended: Promise<Ended>;
  readonly client: LanguageClient;
  readonly #process: ChildProcessWithoutNullStreams;
  #stopping: Promise<void> | undefined;

  constructor(launch: Launch, setup: ClientSetup) {
    const child = spawn(launch.python, launch.args, { cwd: setup.cwd, windowsHide: true });
    const tail = new Tail();
    createInterface({ input: child.stderr, crlfDelay: Infinity }).on('line', (line) => {
      tail.add(`${line}\n`);
      setup.channel.info(`[server] ${line}`);
    });
    // Without a listener a write to a process that is gone would end the extension host.
    child.stdin.on('error', () => undefined);
    this.#process = child;
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        resolve({ code, signal, stderr: tail.text });
      });
      child.once('error', (error) => {
        resolve({ code: null, signal: null, stderr: error.message });
      });
    });
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: 'file', language: 'python' }],
      outputChannel: setup.channel,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      diagnosticCollectionName: 'compilescope',
      initializationOptions: {
        client: 'vscode',
        codeLens: true,
        notifications: true,
        staticHints: setup.staticHints,
        pathMappings: pathMappings().map(({ there, here }) => ({ from: there, to: here })),
        recordings: setup.recordings,
        commands: SERVER_COMMANDS,
      },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      markdown: { isTrusted: { enabledCommands: HOVER_COMMANDS }, supportHtml: true, supportThemeIcons: true },
      middleware: setup.middleware,
    };
    const transport = { reader: child.stdout, writer: child.stdin, detached: true };
    this.client = new QuietClient('compilescope', 'Compilescope', () => Promise.resolve(transport), options);
  }

  start(): Promise<void> {
    return this.client.start();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    try {
      await this.client.dispose(SHUTDOWN_MS);
    } catch {
      // A client that never started, or whose process is gone, can't be stopped: the process is ended below.
    }
    const child = this.#process;
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      child.stdin.end();
      const force = setTimeout(() => child.kill('SIGKILL'), SHUTDOWN_MS);
      await this.ended;
      clearTimeout(force);
    }
  }

  async request<M extends keyof ServerRequests>(
    method: M,
    params: ServerRequests[M]['params'],
    signal?: AbortSignal,
    onPartial?: (value: unknown) => void,
  ): Promise<ServerRequests[M]['result']> {
    const source = new vscode.CancellationTokenSource();
    const abort = (): void => {
      source.cancel();
    };
    signal?.addEventListener('abort', abort, { once: true });
    const partialResultToken = randomUUID();
    const listening = onPartial && this.client.onProgress(new ProgressType<unknown>(), partialResultToken, onPartial);
    const sent = onPartial === undefined ? params : { ...params, partialResultToken };
    try {
      return await this.client.sendRequest<ServerRequests[M]['result']>(method, sent, source.token);
    } catch (error) {
      if (isLost(error) || !this.client.isRunning()) throw new ConnectionLost(String(error));
      throw error;
    } finally {
      listening?.dispose();
      signal?.removeEventListener('abort', abort);
      source.dispose();
    }
  }

  /** Has the editor ask for the code lenses again. */
  refreshCodeLenses(): void {
    const feature = this.client.getFeature(CodeLensRequest.method);
    const documents = vscode.workspace.textDocuments.filter(({ languageId }) => languageId === 'python');
    for (const document of documents) feature.getProvider(document)?.onDidChangeCodeLensEmitter.fire();
  }

  onNotification<M extends keyof ServerNotifications>(
    method: M,
    handle: (params: ServerNotifications[M]) => void,
  ): void {
    this.client.onNotification(method, handle);
  }
}

/** True for the failure of a request whose connection broke. */
function isLost(error: unknown): boolean {
  const codes: number[] = [ErrorCodes.PendingResponseRejected, ErrorCodes.ConnectionInactive];
  return error instanceof ResponseError && codes.includes(error.code);
}

/** True for the failure of a request that was cancelled or is out of date. */
export function isCancelled(error: unknown): boolean {
  const codes: number[] = [
    LSPErrorCodes.RequestCancelled,
    LSPErrorCodes.ServerCancelled,
    LSPErrorCodes.ContentModified,
  ];
  return error instanceof ResponseError && codes.includes(error.code);
}
