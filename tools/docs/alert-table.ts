import { readRules } from '../../test/dashboards/catalogue.ts';

/** Every alert: how severe it is after how long, and the numbers that it compares with. */
export function alertTable(): string {
  const alerts = readRules('alerts');
  const thresholds = readRules('thresholds');
  const names = new Set(alerts.map(({ alert }) => alert!));
  const rows = [...names].map((name) => {
    const grades = alerts.filter(({ alert }) => alert === name);
    const when = new Set(
      grades.map(({ labels, for: duration }) => `${labels!['severity']} after ${duration}`),
    );
    const numbers = thresholds
      .filter(({ record }) => grades.some(({ expr }) => expr.includes(`max(${record})`)))
      .map(
        ({ record, expr }) =>
          `\`${record!.replace('cloud:threshold:', '')}\` ${expr.slice('vector('.length, -1)}`,
      );
    return `| [${name}](#${name.toLowerCase()}) | ${[...when].join(', ')} | ${numbers.join(', ')} |`;
  });
  return ['| alert | severity | thresholds |', '| --- | --- | --- |', ...rows].join('\n');
}
