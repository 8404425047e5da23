import '../shared/locale';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import '../shared/flame/flame.css';
import './passes.css';
import { PassPanel } from './panel';

const root = document.getElementById('app');
if (root) new PassPanel(root);
