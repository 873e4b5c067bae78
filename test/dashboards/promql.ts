import { parser } from '@prometheus-io/lezer-promql';
import type { SyntaxNode } from '@lezer/common';

/** What is asked, the labels named in by, without, on, ignoring and group_left, and where it is not PromQL. */
export function readExpression(text: string) {
  const errors: string[] = [];
  const selectors: { metric: string; matchers: ReturnType<typeof readMatcher>[] }[] = [];
  const groupingLabels: string[] = [];
  const textOf = (node: SyntaxNode | null) => (node ? text.slice(node.from, node.to) : '');
  const readMatcher = (matcher: SyntaxNode) => ({
    label: textOf(matcher.getChild('LabelName')),
    operator: textOf(matcher.getChild('MatchOp')),
    value: textOf(matcher.getChild('StringLiteral')).slice(1, -1),
  });
  parser.parse(text).iterate({
    enter({ type, node }) {
      if (type.isError)
        errors.push(`at ${node.from}: …${text.slice(Math.max(0, node.from - 20), node.to + 20)}…`);
      if (type.name === 'GroupingLabels') groupingLabels.push(...node.getChildren('LabelName').map(textOf));
      if (type.name !== 'VectorSelector') return;
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      selectors.push({ metric: textOf(node.getChild('Identifier')), matchers: matchers.map(readMatcher) });
    },
  });
  return { errors, selectors, groupingLabels };
}
