import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

const VSCODE_ADAPTERS = ['extension/src/extension.ts', 'extension/src/vscode/**', 'extension/src/panels/**'];

export default tseslint.config(
  {
    ignores: [
      'extension/dist/**',
      'media/**',
      'node_modules/**',
      '.venv/**',
      'bundled/**',
      'pyserver/**',
      'tests/bench/**',
      'tests/webview/**',
    ],
  },
  eslint.configs.recommended,
  {
    files: ['extension/**/*.ts', 'tests/e2e/**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
    },
  },
  {
    // Columns of typed arrays: the index is in range by construction, and a check for each would cost on every frame.
    files: ['extension/webview/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['extension/src/**/*.ts', 'extension/test/**/*.ts', 'extension/webview/**/*.ts'],
    ignores: VSCODE_ADAPTERS,
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [{ name: 'vscode', message: 'Only the adapters know VS Code; the rest is tested without it.' }],
          patterns: [{ group: ['vscode-languageclient*'], message: 'Only the adapters know the language client.' }],
        },
      ],
    },
  },
  {
    files: ['extension/src/core/**/*.ts', 'extension/src/shared/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [{ name: 'vscode', message: 'Only the adapters know VS Code; the rest is tested without it.' }],
          patterns: [
            {
              group: ['vscode-languageclient*', '**/vscode/**', '**/panels/**'],
              message: 'The core is used by the adapters and uses none of them.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['extension/src/protocol.gen.ts'],
    rules: { '@typescript-eslint/consistent-type-definitions': 'off' },
  },
  {
    files: ['tools/**/*.mjs', '*.mjs', '*.ts'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', URL: 'readonly' } },
  },
);
