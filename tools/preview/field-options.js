import { FieldConfigOptionsRegistry } from '@grafana/data';

/** The registry that Grafana fills at its start is not on npm: these are the options that our boards use. */
const standard = 'unit min max decimals color thresholds mappings noValue displayName links';
const custom =
  'align axisBorderShow axisColorMode axisGridShow axisPlacement axisSoftMax barAlignment cellOptions drawStyle ' +
  'fillOpacity filterable gradientMode hideFrom inspect lineInterpolation lineStyle lineWidth minWidth pointSize ' +
  'scaleDistribution showPoints spanNulls stacking thresholdsStyle width wrapHeaderText wrapText';

export const fieldOptions = new FieldConfigOptionsRegistry(() => [
  ...standard.split(' ').map((path) => option(path, path, false)),
  ...custom.split(' ').map((path) => option(`custom.${path}`, path, true)),
]);

function option(id, path, isCustom) {
  return { id, path, isCustom, name: id, process: (value) => value, shouldApply: () => true };
}

/** What each type of panel has where the board says nothing. */
const defaultsOf = {
  timeseries: {
    color: { mode: 'palette-classic' },
    custom: {
      drawStyle: 'line',
      axisPlacement: 'auto',
      axisGridShow: true,
      axisColorMode: 'text',
      barAlignment: 0,
      pointSize: 5,
      scaleDistribution: { type: 'linear' },
      spanNulls: false,
      hideFrom: { legend: false, tooltip: false, viz: false },
      thresholdsStyle: { mode: 'off' },
    },
  },
  table: { custom: { cellOptions: { type: 'auto' } } },
};

export function fieldConfigOf({ type, fieldConfig }) {
  const usual = defaultsOf[type] ?? {};
  const { defaults, overrides } = withLowestSteps(fieldConfig);
  return {
    defaults: {
      color: { mode: 'thresholds' },
      ...usual,
      ...defaults,
      custom: { ...usual.custom, ...defaults.custom },
    },
    overrides,
  };
}

/** JSON has no -Infinity: the lowest step of thresholds is written as null, and nothing else is. */
function withLowestSteps(fieldConfig) {
  return JSON.parse(JSON.stringify(fieldConfig), (key, value) =>
    key === 'steps' ? value.map((step) => ({ ...step, value: step.value ?? -Infinity })) : value,
  );
}
