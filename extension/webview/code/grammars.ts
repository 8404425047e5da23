/** Grammars for what highlight.js has none for: Triton's MLIR and the assembly of GPUs. */
import type { LanguageFn } from 'highlight.js';

export const mlir: LanguageFn = (hljs) => ({
  name: 'MLIR',
  contains: [
    hljs.COMMENT('//', '$'),
    hljs.QUOTE_STRING_MODE,
    { scope: 'comment', begin: /\bloc\(.*\)\s*$/ },
    { scope: 'variable', begin: /[%^#][\w.$-]+/ },
    { scope: 'title', begin: /@[\w.$-]+/ },
    {
      scope: 'keyword',
      begin: /\b(?:tt|ttg|ttng|nvgpu|arith|math|scf|cf|gpu|func|builtin|module|llvm)(?:\.[\w.]+)?\b/,
    },
    { scope: 'type', begin: /!?\b(?:tensor|ptr|memdesc|tt\.ptr|[if]\d+|bf16|index)\b/ },
    { scope: 'number', begin: /-?\b\d+(?:\.\d+(?:[eE][-+]?\d+)?)?\b/ },
  ],
});

export const ptx: LanguageFn = (hljs) => ({
  name: 'PTX',
  contains: [
    hljs.COMMENT('//', '$'),
    hljs.C_BLOCK_COMMENT_MODE,
    hljs.QUOTE_STRING_MODE,
    { scope: 'type', begin: /^\s*\.[\w.]+/ },
    { scope: 'variable', begin: /%[\w.]+/ },
    { scope: 'symbol', begin: /\$?[\w$]+(?=:)/ },
    { scope: 'keyword', begin: /^\s*(?:@!?%\w+\s+)?[a-z][\w]*(?:\.[\w:]+)*/ },
    { scope: 'number', begin: /\b(?:0[xfFdD][\dA-Fa-f]+|\d+)\b/ },
  ],
});
