import { parser } from '@prometheus-io/lezer-promql';
import type { SyntaxNode } from '@lezer/common';

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  /** The functions and aggregations around it, innermost first. */
  readonly within: readonly string[];
}

export interface Expression {
  /** Where the text is not PromQL. */
  readonly errors: readonly string[];
  readonly selectors: readonly Selector[];
  /** Labels named in by, without, on, ignoring and group_left. */
  readonly groupingLabels: readonly string[];
}

export function readExpression(text: string): Expression {
  const errors: string[] = [];
  const selectors: Selector[] = [];
  const groupingLabels: string[] = [];
  const textOf = (node: SyntaxNode) => text.slice(node.from, node.to);
  parser.parse(text).iterate({
    enter({ type, node }) {
      if (type.isError)
        errors.push(`at ${node.from}: …${text.slice(Math.max(0, node.from - 20), node.to + 20)}…`);
      if (type.name === 'VectorSelector') selectors.push(readSelector(node, textOf));
      if (type.name === 'GroupingLabels') groupingLabels.push(...node.getChildren('LabelName').map(textOf));
    },
  });
  return { errors, selectors, groupingLabels };
}

function readSelector(node: SyntaxNode, textOf: (node: SyntaxNode) => string): Selector {
  const metric = node.getChild('Identifier');
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  const read = matchers.map((matcher) => ({
    label: textOf(matcher.getChild('LabelName')!),
    operator: textOf(matcher.getChild('MatchOp')!),
    value: textOf(matcher.getChild('StringLiteral')!).slice(1, -1),
  }));
  return {
    metric: metric ? textOf(metric) : '',
    matchers: read,
    within: surroundings(node, textOf),
  };
}

function surroundings(node: SyntaxNode, textOf: (node: SyntaxNode) => string): string[] {
  const names: string[] = [];
  for (let outer = node.parent; outer; outer = outer.parent) {
    const name = outer.getChild('FunctionIdentifier') ?? outer.getChild('AggregateOp');
    if (name) names.push(textOf(name));
  }
  return names;
}
