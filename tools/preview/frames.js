import {
  FieldType,
  applyFieldOverrides,
  cacheFieldDisplayNames,
  createDataFrame,
  transformDataFrame,
} from '@grafana/data';
import { firstValueFrom } from 'rxjs';
import { fieldConfigOf, fieldOptions } from './field-options.js';

/** What a panel draws: the answers as frames, transformed, each field with its unit, colours and name. */
export async function framesOf(panel, theme) {
  const frames = panel.answers.flatMap((answer) =>
    answer.target.format === 'table' ? tableFrame(answer) : seriesFrames(answer),
  );
  const transformed = await firstValueFrom(
    transformDataFrame(panel.transformations ?? [], frames, { interpolate: (text) => text }),
  );
  const drawn = applyFieldOverrides({
    data: transformed,
    fieldConfig: fieldConfigOf(panel),
    fieldConfigRegistry: fieldOptions,
    replaceVariables: interpolate,
    theme,
    timeZone: 'utc',
  });
  cacheFieldDisplayNames(drawn);
  return drawn;
}

function seriesFrames({ target, series }) {
  return series.map(({ metric, values }) =>
    createDataFrame({
      refId: target.refId,
      fields: [
        { name: 'Time', type: FieldType.time, values: values.map(([seconds]) => seconds * 1000) },
        {
          name: 'Value',
          type: FieldType.number,
          labels: metric,
          values: values.map(([, value]) => numberOf(value)),
          config: { displayNameFromDS: nameOf(target, metric) },
        },
      ],
    }),
  );
}

/** The latency of requests that were not made is no number, and nothing is drawn. */
const numberOf = (text) => (text === 'NaN' ? null : Number(text));

function nameOf({ legendFormat }, metric) {
  return legendFormat?.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, label) => metric[label] ?? '');
}

/** As the data source has it: a column for each label, and one with the query's letter. */
function tableFrame({ target, series }) {
  const labels = [...new Set(series.flatMap(({ metric }) => Object.keys(metric)))];
  return createDataFrame({
    refId: target.refId,
    fields: [
      { name: 'Time', type: FieldType.time, values: series.map(({ values }) => values[0][0] * 1000) },
      ...labels.map((label) => ({
        name: label,
        type: FieldType.string,
        values: series.map(({ metric }) => metric[label] ?? ''),
      })),
      {
        name: `Value #${target.refId}`,
        type: FieldType.number,
        values: series.map(({ values }) => numberOf(values[0][1])),
      },
    ],
  });
}

/** Of Grafana's variables in texts, the one that our boards use: a label of the field that is drawn. */
export function interpolate(text, scopedVars) {
  const labels = scopedVars?.['__dataContext']?.value.field.labels ?? {};
  return text.replaceAll(/\$\{__field\.labels\.(\w+)\}/g, (_, label) => labels[label] ?? '');
}
