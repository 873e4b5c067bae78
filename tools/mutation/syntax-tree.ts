import { parseAst } from 'vitest/node';

/** A node of the tree as the parser gives it; what else it has depends on its type. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Types, which say nothing at run time; the other nodes whose names begin with TS wrap an expression. */
const wrappers = new Set(['TSNonNullExpression', 'TSAsExpression', 'TSSatisfiesExpression']);
const isOfTypes = ({ type }: Node) => type.startsWith('TS') && !wrappers.has(type);

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value: unknown): unknown[] => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
    .filter((child) => !isOfTypes(child));
}

function isLogCall({ type, callee }: Node): boolean {
  if (type !== 'CallExpression' || !isNode(callee) || !isNode(callee['object'])) return false;
  return callee['object']['name'] === 'log';
}

function nodesBelow(node: Node): Node[] {
  // What is written into the log is for people to read.
  return isLogCall(node) ? [node] : [node, ...childrenOf(node).flatMap(nodesBelow)];
}

/** Every node that does something when the program runs, in the order of the text. */
export function nodesOf(text: string): Node[] {
  return nodesBelow(parseAst(text, { lang: 'ts' }) as unknown as Node);
}
