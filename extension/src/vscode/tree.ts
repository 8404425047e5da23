/** A tree of rows; children are fetched when a row is opened. */
import * as vscode from 'vscode';
import { problemOf } from '../core/problem';
import { problemRows } from '../core/rows/problems';
import type { Row } from '../core/rows/row';

export interface Node {
  row: Row;
  expanded?: boolean;
  children?: () => Promise<Node[]>;
}

export class RowTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Node | undefined>();
  readonly #parents = new Map<string, Node>();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(private readonly roots: () => Promise<Node[]>) {}

  /** Asks for everything anew. What was open stays open. */
  refresh(): void {
    this.#changed.fire(undefined);
  }

  getTreeItem({ row, expanded }: Node): vscode.TreeItem {
    const states = vscode.TreeItemCollapsibleState;
    const state = !row.branch ? states.None : expanded === true ? states.Expanded : states.Collapsed;
    const item = new vscode.TreeItem(row.label, state);
    item.id = row.id;
    item.description = row.description;
    item.tooltip = row.tooltip;
    item.contextValue = row.kind;
    item.iconPath = new vscode.ThemeIcon(
      row.icon,
      row.color === undefined ? undefined : new vscode.ThemeColor(row.color),
    );
    item.accessibilityInformation = { label: [row.label, row.description].filter((part) => part !== '').join(', ') };
    if (row.command !== undefined) item.command = { title: row.label, ...row.command };
    return item;
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node === undefined) {
      this.#parents.clear();
      return this.#fetched('', this.roots);
    }
    const { children } = node;
    const inside = children === undefined ? [] : await this.#fetched(node.row.id, children);
    for (const child of inside) this.#parents.set(child.row.id, node);
    return inside;
  }

  getParent(node: Node): Node | undefined {
    return this.#parents.get(node.row.id);
  }

  /** Rows that can't be had are a row that says why. */
  async #fetched(parent: string, fetch: () => Promise<Node[]>): Promise<Node[]> {
    try {
      return await fetch();
    } catch (error) {
      const [row] = problemRows(problemOf(error));
      return [{ row: { ...row, id: `${parent}\n${row.id}`, branch: false } }];
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
