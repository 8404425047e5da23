import '../shared/locale';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import '../shared/coded.css';
import './recompiles.css';
import { RecompilePanel } from './panel';

const root = document.getElementById('app');
if (root) new RecompilePanel(root);
