/** Keeps the server as it is wanted: up, down, or up anew. One session at a time, in order, whoever asks. */
import * as l10n from '@vscode/l10n';
import type { ServerRequests } from '../protocol.gen';
import { ProblemError, problemOf, recordingGone, serverEnded } from './problem';
import { endedAgain, endedWhileAsked, endedWhileStarting } from './server-ended';
import type { Launch } from './server-launch';
import type { SessionEvent, SessionState } from './session-state';
import { nextState } from './session-state';

/** How a server's process came to its end. */
export interface Ended {
  code: number | null;
  signal: string | null;
  stderr: string;
}

/** One server process with the client that speaks to it; used once. */
export interface Connection {
  /** Settles when the server has answered `initialize`; fails when its process ends before or it can't be started. */
  start(): Promise<void>;
  /** Ends the process in any state, by force when it doesn't end by itself; never fails. */
  stop(): Promise<void>;
  /** Settles when the process has ended, for whatever reason. */
  readonly ended: Promise<Ended>;
  /** `onPartial` gets what the server sends before the answer, of a request that has partial results. */
  request<M extends keyof ServerRequests>(
    method: M,
    params: ServerRequests[M]['params'],
    signal?: AbortSignal,
    onPartial?: (value: unknown) => void,
  ): Promise<ServerRequests[M]['result']>;
}

/** A request that was under way when the connection broke. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

export interface ServerOptions {
  /** Finds the interpreter; throws ProblemError when there is none. */
  resolve(): Promise<Launch>;
  connect(launch: Launch): Connection;
  /** Called with each connection that is ready, before anybody else gets it. */
  onReady(connection: Connection, launch: Launch): void;
  onState(state: SessionState): void;
  log(text: string): void;
  now(): number;
  /** Whether there is still something at a recording's path: a request about one that is gone fails in those words. */
  isThere?(recording: string): boolean;
  startTimeoutMs?: number;
}

/** So many crashes within the window and the server stays down until somebody asks for it. */
const CRASHES = 3;
const CRASH_WINDOW_MS = 180_000;
const START_TIMEOUT_MS = 60_000;
/** How long a broken connection waits for the end of its process, to say why. */
const GRACE_MS = 1_000;

export class Server {
  #state: SessionState = { name: 'idle' };
  #connection: Connection | undefined;
  #wanted: { up: boolean; serial: number } = { up: false, serial: 0 };
  #settling: Promise<void> | undefined;
  #crashes: number[] = [];

  constructor(private readonly options: ServerOptions) {}

  get state(): SessionState {
    return this.#state;
  }

  /** Starts the server unless it is up or on its way. */
  start(): Promise<void> {
    if (this.#wanted.up && this.#state.name !== 'failed') return this.#settling ?? Promise.resolve();
    return this.#want(true);
  }

  /** Ends the session, if any, and starts a new one. Calls that come while one is on its way become one more. */
  restart(): Promise<void> {
    this.#crashes = [];
    return this.#want(true);
  }

  stop(): Promise<void> {
    return this.#want(false);
  }

  /** The running server's connection, started if need be. Throws ProblemError when it can't be had. */
  async connection(): Promise<Connection> {
    await this.start();
    if (this.#state.name === 'failed') throw new ProblemError(this.#state.problem);
    if (this.#state.name !== 'running' || this.#connection === undefined) {
      throw new ProblemError(serverEnded(l10n.t("Compilescope's server was stopped."), ''));
    }
    return this.#connection;
  }

  async request<M extends keyof ServerRequests>(
    method: M,
    params: ServerRequests[M]['params'],
    signal?: AbortSignal,
    onPartial?: (value: unknown) => void,
  ): Promise<ServerRequests[M]['result']> {
    const connection = await this.connection();
    try {
      return await connection.request(method, params, signal, onPartial);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) {
        this.assertThere(...recordingsIn(params));
        throw error;
      }
      const ended = await within(GRACE_MS, connection.ended);
      throw new ProblemError(serverEnded(endedWhileAsked(ended), ended?.stderr ?? ''));
    }
  }

  /** Throws ProblemError for a recording that was moved or removed. */
  assertThere(...recordings: readonly string[]): void {
    const gone = recordings.find((one) => this.options.isThere?.(one) === false);
    if (gone !== undefined) throw new ProblemError(recordingGone(gone));
  }

  #want(up: boolean): Promise<void> {
    this.#wanted = { up, serial: this.#wanted.serial + 1 };
    // What is on its way is not wanted any more: a start that hangs must not hold up the next one.
    void this.#connection?.stop();
    this.#settling ??= this.#settle().finally(() => {
      this.#settling = undefined;
    });
    return this.#settling;
  }

  async #settle(): Promise<void> {
    for (;;) {
      const { up, serial } = this.#wanted;
      await this.#down();
      if (up && serial === this.#wanted.serial) await this.#up(serial);
      if (serial === this.#wanted.serial) return;
    }
  }

  async #down(): Promise<void> {
    const connection = this.#connection;
    this.#dispatch({ type: 'stop' });
    this.#connection = undefined;
    await connection?.stop();
    this.#dispatch({ type: 'stopped' });
  }

  async #up(serial: number): Promise<void> {
    this.#dispatch({ type: 'start' });
    try {
      const launch = await this.options.resolve();
      if (serial !== this.#wanted.serial) return;
      this.#dispatch({ type: 'resolved', launch });
      this.options.log(
        `server: ${[launch.python, ...launch.args].join(' ')} (Python ${launch.version}, ${launch.because})`,
      );
      const connection = this.options.connect(launch);
      this.#connection = connection;
      void connection.ended.then((ended) => {
        this.#onEnded(connection, ended);
      });
      await this.#started(connection);
      if (serial !== this.#wanted.serial) return;
      this.options.onReady(connection, launch);
      this.#dispatch({ type: 'ready' });
    } catch (error) {
      if (serial !== this.#wanted.serial) return;
      const connection = this.#connection;
      this.#connection = undefined;
      await connection?.stop();
      this.#fail(error);
    }
  }

  async #started(connection: Connection): Promise<void> {
    const limit = this.options.startTimeoutMs ?? START_TIMEOUT_MS;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(
          new ProblemError(serverEnded(l10n.t("Compilescope's server did not answer within {0} s.", limit / 1000), '')),
        );
      }, limit);
    });
    const gone = connection.ended.then((ended) => {
      throw new ProblemError(serverEnded(endedWhileStarting(ended), ended.stderr));
    });
    const start = connection.start();
    start.catch(() => undefined);
    try {
      await Promise.race([start.catch((error: unknown) => explained(error, connection)), gone, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #onEnded(connection: Connection, ended: Ended): void {
    if (connection !== this.#connection || this.#state.name !== 'running') return;
    this.#connection = undefined;
    this.options.log(`server ${howItEnded(ended)}; the end of its stderr:\n${ended.stderr}`);
    const now = this.options.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < CRASH_WINDOW_MS), now];
    if (this.#crashes.length < CRASHES) {
      void this.#want(true);
    } else {
      this.#wanted = { up: false, serial: this.#wanted.serial + 1 };
      const title = endedAgain(CRASHES, CRASH_WINDOW_MS / 60_000, ended);
      this.#crashes = [];
      this.#fail(new ProblemError(serverEnded(title, ended.stderr)));
    }
  }

  #fail(error: unknown): void {
    const problem = problemOf(error);
    this.options.log(`server failed: ${problem.title} ${problem.detail}`);
    this.#wanted = { ...this.#wanted, up: false };
    this.#dispatch({ type: 'failed', problem });
  }

  #dispatch(event: SessionEvent): void {
    const next = nextState(this.#state, event);
    if (next === this.#state) return;
    this.#state = next;
    this.options.onState(next);
  }
}

/** The recordings that a request is about. */
function recordingsIn(params: object): string[] {
  const { recording, before, after } = params as Record<string, unknown>;
  return [recording, before, after].filter((one): one is string => typeof one === 'string' && one !== '');
}

/** `ended with exit code 1`, `was ended by SIGSEGV`. */
export function howItEnded(ended: Ended): string {
  return ended.signal === null ? `ended with exit code ${ended.code}` : `was ended by ${ended.signal}`;
}

/** A process that ended explains more than the broken connection that it left: waits a moment for it. */
async function explained(error: unknown, connection: Connection): Promise<never> {
  await within(GRACE_MS, connection.ended);
  throw error;
}

async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
