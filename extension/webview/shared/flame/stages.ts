/** The stages of a compile, in the order of the server's; `flame.css` gives each its colour. */
export const STAGE_KEYS = [
  'capture',
  'aot',
  'pass',
  'lower',
  'codegen',
  'compiler',
  'wait',
  'guard',
  'execute',
] as const;
