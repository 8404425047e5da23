/** Lays out one level after another, in a worker, so that a large one never holds up the page. */
import { layout } from './layout';
import { type Job, packLayout, unpackJob } from './layout-wire';

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Job>) => void) | null;
  postMessage(message: unknown, transfer: Transferable[]): void;
};

scope.onmessage = ({ data }) => {
  const packed = packLayout(data.id, layout(...unpackJob(data)));
  scope.postMessage(packed, [packed.x.buffer, packed.y.buffer, packed.points.buffer, packed.ends.buffer]);
};
