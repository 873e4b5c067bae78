import { FieldConfigOptionsRegistry } from '@grafana/data';

const standard = [
  'unit',
  'min',
  'max',
  'decimals',
  'color',
  'thresholds',
  'mappings',
  'noValue',
  'displayName',
  'links',
];
const custom = [
  'align',
  'axisBorderShow',
  'axisColorMode',
  'axisGridShow',
  'axisPlacement',
  'axisSoftMax',
  'barAlignment',
  'cellOptions',
  'drawStyle',
  'fillOpacity',
  'filterable',
  'gradientMode',
  'hideFrom',
  'inspect',
  'lineInterpolation',
  'lineStyle',
  'lineWidth',
  'minWidth',
  'pointSize',
  'scaleDistribution',
  'showPoints',
  'spanNulls',
  'stacking',
  'thresholdsStyle',
  'width',
  'wrapHeaderText',
  'wrapText',
];

/** The registry that Grafana fills at its start is not on npm: these are the options that our boards use. */
export const fieldOptions = new FieldConfigOptionsRegistry(() => [
  ...standard.map((path) => option(path, path, false)),
  ...custom.map((path) => option(`custom.${path}`, path, true)),
]);

function option(id, path, isCustom) {
  return {
    id,
    path,
    isCustom,
    name: id,
    description: '',
    editor: () => null,
    override: () => null,
    process: (value) => value,
    shouldApply: () => true,
    getItemsCount: () => 0,
  };
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

export function fieldConfigOf(panel) {
  const defaults = defaultsOf[panel.type] ?? {};
  const own = withLowestStep(panel.fieldConfig.defaults);
  return {
    defaults: {
      color: { mode: 'thresholds' },
      ...defaults,
      ...own,
      custom: { ...defaults.custom, ...own.custom },
    },
    overrides: panel.fieldConfig.overrides.map(({ matcher, properties }) => ({
      matcher,
      properties: properties.map(({ id, value }) => ({
        id,
        value: id === 'thresholds' ? withLowestStep({ thresholds: value }).thresholds : value,
      })),
    })),
  };
}

/** JSON has no -Infinity: the lowest step of thresholds is written as null. */
function withLowestStep(config) {
  if (!config.thresholds) return config;
  const steps = config.thresholds.steps.map((step) => ({ ...step, value: step.value ?? -Infinity }));
  return { ...config, thresholds: { ...config.thresholds, steps } };
}
