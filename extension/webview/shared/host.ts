/** The panel's side of the messages with the extension host. */
import type { FromPanel, Method, PanelAction, Problem, Requests, ToPanel } from '../../src/shared/messages';

interface VsCodeApi {
  postMessage(message: FromPanel): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** A request that the host answered with a problem. */
export class RequestFailed extends Error {
  constructor(readonly problem: Problem) {
    super(problem.title);
  }
}

/** What to show of an error: the host's problem, or the error itself under a title. */
export function problemOf(error: unknown, title: string): Problem {
  return error instanceof RequestFailed ? error.problem : { code: 'panel', title, detail: String(error), actions: [] };
}

type Event = Exclude<ToPanel, { type: 'response' }>;

/** Sends requests and one-way messages; hands everything but responses to `listen`. */
export class Host {
  readonly #api = acquireVsCodeApi();
  readonly #waiting = new Map<number, { done: (result: unknown) => void; fail: (error: Error) => void }>();
  #next = 1;

  constructor(listen: (event: Event) => void) {
    window.addEventListener('message', ({ data }: MessageEvent<ToPanel>) => {
      if (data.type !== 'response') {
        listen(data);
        return;
      }
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ('problem' in data) waiting?.fail(new RequestFailed(data.problem));
      else waiting?.done(data.result);
    });
    window.addEventListener('error', (event) => this.send({ type: 'log', text: event.message }));
    window.addEventListener('unhandledrejection', (event) => {
      this.send({ type: 'log', text: String(event.reason) });
    });
  }

  /** The host's answer. Rejects with `RequestFailed`. */
  async request<M extends Method>(method: M, params: Requests[M]['params']): Promise<Requests[M]['result']> {
    const id = this.#next++;
    const answer = new Promise<unknown>((done, fail) => this.#waiting.set(id, { done, fail }));
    this.#api.postMessage({ type: 'request', id, method, params } as FromPanel);
    return (await answer) as Requests[M]['result'];
  }

  send(message: FromPanel): void {
    this.#api.postMessage(message);
  }

  /** Goes a way out that a page offers. */
  go({ action, command }: { action?: PanelAction; command?: string }): void {
    if (command !== undefined) this.send({ type: 'command', command });
    else if (action !== undefined) this.send({ type: 'action', action });
  }

  /** What `save` kept before a reload, if it has this version. */
  restore<T extends { version: number }>(version: T['version']): Partial<T> {
    const state = this.#api.getState() as T | undefined;
    return state?.version === version ? state : {};
  }

  save(state: { version: number }): void {
    this.#api.setState(state);
  }
}
