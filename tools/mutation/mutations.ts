import { nodesOf, type Node } from './syntax-tree.ts';

/** One small change of a program, after which its tests should fail. */
export interface Mutation {
  readonly line: number;
  /** The line, with what was there and what is there now in brackets. */
  readonly change: string;
  /** The whole program with the change. */
  readonly text: string;
}

/** A part of the text and what takes its place. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

const otherOperator: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '**': '*',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
  '??=': '=',
  '||=': '=',
  '&&=': '=',
};

/** Functions that are mistaken for each other. */
const otherName: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  some: 'every',
  every: 'some',
  now: 'monotonic',
  monotonic: 'now',
};

const instead = ({ start, end }: Node, by: string): Edit => ({ start, end, by });

/** The mutations of one sort of node. */
type Rule = (node: Node, text: string) => Edit[];

const textOf = (node: Node, text: string) => text.slice(node.start, node.end);
const part = (node: Node, field: string) => node[field] as Node;

function changeOperator(node: Node, text: string): Edit[] {
  const [left, right] = [part(node, 'left'), part(node, 'right')];
  const operator = node['operator'] as string;
  const by = otherOperator[operator];
  if (!by) return [];
  // What stands around the operator may be blanks and brackets.
  const start = text.indexOf(operator, left.end);
  return [{ start, end: Math.min(start + operator.length, right.start), by }];
}

function takeOneSide(node: Node, text: string): Edit[] {
  const sides = node['operator'] === '??' ? ['left'] : ['left', 'right'];
  return sides.map((side) => instead(node, `(${textOf(part(node, side), text)})`));
}

/** Whether another rule turns this condition into its opposite already. */
function isTurned({ type, operator }: Node): boolean {
  return type === 'UnaryExpression' || (type === 'BinaryExpression' && /[!=]==/.test(operator as string));
}

function decide(node: Node, text: string, answers: readonly string[]): Edit[] {
  const test = node['test'] as Node | null;
  if (!test) return [];
  const turned = isTurned(test) ? [] : [`!(${textOf(test, text)})`];
  return [...turned, ...answers].map((by) => instead(test, by));
}

const decideBoth: Rule = (node, text) => decide(node, text, ['true', 'false']);
/** A loop without an end would only cost time. */
const decideLoop: Rule = (node, text) => decide(node, text, ['false']);

const drop: Rule = (node) => [instead(node, ';')];

function changeLiteral(node: Node): Edit[] {
  const { value } = node;
  if (typeof value === 'number') return [instead(node, String(value + 1))];
  return typeof value === 'boolean' ? [instead(node, String(!value))] : [];
}

function requireObject(node: Node, text: string, before: Node): Edit[] {
  if (node['optional'] !== true) return [];
  const start = text.indexOf('?.', before.end);
  return [{ start, end: start + 2, by: /[([]/.test(text[start + 2]!) ? '' : '.' }];
}

const rules: Readonly<Record<string, Rule>> = {
  BinaryExpression: (node, text) =>
    node['operator'] === 'instanceof'
      ? [instead(node, `!(${textOf(node, text)})`)]
      : changeOperator(node, text),
  LogicalExpression: (node, text) => [...changeOperator(node, text), ...takeOneSide(node, text)],
  AssignmentExpression: changeOperator,
  UnaryExpression: (node, text) =>
    node['operator'] === '!' ? [instead(node, `(${textOf(part(node, 'argument'), text)})`)] : [],
  AwaitExpression: (node, text) => [instead(node, `(${textOf(part(node, 'argument'), text)})`)],
  Literal: changeLiteral,
  IfStatement: decideBoth,
  ConditionalExpression: decideBoth,
  WhileStatement: decideLoop,
  ForStatement: decideLoop,
  ExpressionStatement: drop,
  ThrowStatement: drop,
  ReturnStatement: (node, text) =>
    node['argument'] ? [instead(node, 'return undefined;')] : drop(node, text),
  ArrowFunctionExpression: (node) =>
    node['expression'] === true ? [instead(part(node, 'body'), 'undefined')] : [],
  CallExpression: (node, text) => requireObject(node, text, part(node, 'callee')),
  MemberExpression: (node, text) => {
    const property = part(node, 'property');
    const other = otherName[String(property['name'])];
    const renamed = other && node['computed'] !== true ? [instead(property, other)] : [];
    return [...renamed, ...requireObject(node, text, part(node, 'object'))];
  },
};

/** On one line, and not all of it if it is long. */
function inShort(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ');
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}

function mutate(text: string, { start, end, by }: Edit): Mutation {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const [restOfLine = ''] = text.slice(end).split('\n');
  const mark = `[${inShort(text.slice(start, end))} → ${inShort(by)}]`;
  return {
    line: text.slice(0, start).split('\n').length,
    change: (text.slice(lineStart, start) + mark + restOfLine).trim(),
    text: text.slice(0, start) + by + text.slice(end),
  };
}

/** Every mutation of a program; texts are left as they are, since the compiler knows those that mean something. */
export function mutationsOf(text: string): Mutation[] {
  const all = nodesOf(text).flatMap((node) =>
    (rules[node.type]?.(node, text) ?? []).map((edit) => mutate(text, edit)),
  );
  const different = new Map(all.map((mutation) => [mutation.text, mutation]));
  return [...different.values()].filter((mutation) => mutation.text !== text);
}
