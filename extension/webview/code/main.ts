import '../shared/locale';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import './code.css';
import { CodePanel } from './panel';

const root = document.getElementById('app');
if (root) new CodePanel(root);
