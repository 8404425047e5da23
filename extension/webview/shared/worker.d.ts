/** A module bundled for a worker, as text (tools/inline_worker.mjs). */
declare module 'worker:*' {
  const source: string;
  export default source;
}
