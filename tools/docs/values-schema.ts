import { z } from 'zod';
import { cloudSchema } from '../../src/config/schema.ts';

/** A JSON schema as Helm reads it. */
export type Schema = { readonly [key: string]: unknown };

/** Whoever writes null means the default, in every place: Helm hands it on where this chart is a dependency. */
function orNull(schema: Schema): Schema {
  const { type, enum: words, anyOf: choices } = schema;
  if (Array.isArray(choices))
    return { ...schema, anyOf: [...(choices as Schema[]).map(membersOrNull), { type: 'null' }] };
  if (Array.isArray(words)) {
    const { type: _, ...rest } = schema;
    return { ...rest, enum: [...(words as unknown[]), null] };
  }
  if (type === undefined) return schema;
  return { ...membersOrNull(schema), type: [type, 'null'].flat() };
}

function membersOrNull(schema: Schema): Schema {
  const { properties, additionalProperties: others } = schema;
  return {
    ...schema,
    ...(isSchema(properties) && { properties: withNulls(properties as Record<string, Schema>) }),
    ...(isSchema(others) && { additionalProperties: orNull(others) }),
  };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

const withNulls = (members: Readonly<Record<string, Schema>>) =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, orNull(schema)]));

const map = (members: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties: members,
  ...more,
});

const flag: Schema = { type: 'boolean' };
const text: Schema = { type: 'string' };
const anyMap: Schema = { type: 'object' };
const anyList: Schema = { type: 'array' };
const oneOf = (...words: readonly string[]): Schema => ({ enum: ['', ...words] });
const whole = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum });
const port = whole(1, 65_535);
const mapsOf = (items: Schema): Schema => ({ type: 'object', additionalProperties: items });
const matching = (pattern: string, more: Schema = {}): Schema => ({ type: 'string', pattern, ...more });

const name = matching('^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$', { maxLength: 63 });
const objectName = matching('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$', { maxLength: 253 });
const labels = mapsOf(matching('^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$', { maxLength: 63 }));
const annotations = mapsOf(text);
const time = matching('^([0-9]+(ms|[smhdwy]))*$');
// Helm's patterns are Go's, which cannot look ahead: two underscores at the start are Prometheus' own.
const labelName = '^(_|[a-zA-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9][a-zA-Z0-9_]*)$';
const secretKeys = ['password', 'token', 'access_key', 'secret_key', 'cas_ticket'] as const;

/** The settings of a cloud, from the schema by which the exporter reads them. */
function settings(): Schema {
  const { properties, ...rest } = z.toJSONSchema(cloudSchema, {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-7',
  }) as { properties: Record<string, Schema> } & Schema;
  const members = Object.entries(properties).map(([key, found]): [string, Schema] => {
    const { default: _, ...schema } = found;
    // A secret is refused by a template, which has room for the reason and the cure.
    if (secretKeys.some((secret) => secret === key)) return [key, { description: schema['description'] }];
    // What follows is said by code there and by a pattern here.
    if (key === 'proxy_url') return [key, { ...schema, pattern: '^https?://[^\\s?#]+$' }];
    if (key.endsWith('_url')) return [key, { ...schema, pattern: '^https?://[^\\s@?#]+$' }];
    if (key === 'labels') return [key, { ...schema, propertyNames: { pattern: labelName } }];
    return [key, schema];
  });
  const { $schema: _, ...plain } = rest;
  return { ...plain, properties: Object.fromEntries(members), required: ['auth_url'] };
}

const reference = map({ name: objectName, key: text }, { required: ['name', 'key'] });
const secrets: Schema = {
  type: 'object',
  propertyNames: { enum: [...secretKeys, 'cacert', 'cert', 'key'] },
  additionalProperties: reference,
};

const image = map({
  registry: text,
  repository: text,
  tag: matching('^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$'),
  digest: matching('^([a-z0-9]+:[0-9a-f]{32,})?$'),
  pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
  pullSecrets: anyList,
});

const monitor = {
  enabled: flag,
  namespace: name,
  labels,
  interval: time,
  scrapeTimeout: time,
  sampleLimit: whole(0, 2 ** 31),
};

const pod = {
  serviceAccount: map({ create: flag, name: objectName, annotations }),
  resources: anyMap,
  podSecurityContext: anyMap,
  securityContext: anyMap,
  livenessProbe: anyMap,
  readinessProbe: anyMap,
  startupProbe: anyMap,
  strategy: anyMap,
  revisionHistoryLimit: whole(0, 2 ** 31 - 1),
  annotations,
  podAnnotations: annotations,
  podLabels: labels,
  nodeSelector: labels,
  tolerations: anyList,
  affinity: anyMap,
  topologySpreadConstraints: anyList,
  priorityClassName: text,
  hostAliases: anyList,
  dnsPolicy: oneOf('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'),
  dnsConfig: anyMap,
  initContainers: anyList,
  sidecars: anyList,
  extraVolumes: anyList,
  extraVolumeMounts: anyList,
};

const network = {
  service: map({
    type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
    port,
    nodePort: port,
    ipFamilyPolicy: oneOf('SingleStack', 'PreferDualStack', 'RequireDualStack'),
    ipFamilies: { type: 'array', items: { enum: ['IPv4', 'IPv6'] } },
    annotations,
    labels,
  }),
  networkPolicy: map({
    enabled: flag,
    prometheusNamespace: name,
    from: anyList,
    platformPorts: { type: 'array', items: port },
    extraEgress: anyList,
  }),
};

const monitoring = {
  prometheusRelease: matching('^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$', { maxLength: 63 }),
  podMonitor: map({ enabled: flag }),
  serviceMonitor: map({
    ...monitor,
    honorLabels: flag,
    scheme: oneOf('http', 'https'),
    tlsConfig: anyMap,
    basicAuth: anyMap,
    defaultRelabelings: flag,
    relabelings: anyList,
    metricRelabelings: anyList,
    endpoint: anyMap,
  }),
  scrapeConfig: map({ ...monitor, spec: anyMap }),
  prometheusRule: map({
    enabled: flag,
    namespace: name,
    labels,
    groups: mapsOf(flag),
    runbookBase: matching('^(https?://.+)?$'),
    thresholds: mapsOf({ type: 'number' }),
    extraRules: { type: 'array', items: { type: 'object', required: ['name', 'rules'] } },
  }),
  dashboards: map({
    enabled: flag,
    namespace: name,
    labels,
    folder: text,
    folderAnnotation: text,
    annotations,
    grafanaOperator: map({ enabled: flag, instanceSelector: anyMap, allowCrossNamespaceImport: flag }),
  }),
};

/** What Helm accepts as values of the chart. */
export function valuesSchema(): Schema {
  const cloud = map({ settings: settings(), secrets }, { required: ['settings'] });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...membersOrNull(
      map({
        global: anyMap,
        // For the chart around this one, which may have it as its condition; read by Helm alone.
        enabled: flag,
        demo: flag,
        image,
        clouds: {
          type: 'object',
          propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' },
          additionalProperties: cloud,
        },
        existingConfigSecret: map({ name: objectName, key: text }),
        extraArgs: { type: 'array', items: matching('^--') },
        extraEnv: { type: 'array', items: { type: 'object', required: ['name'] } },
        envFrom: anyList,
        webConfig: map({ secretName: objectName, tls: flag }),
        shards: whole(0, 1000),
        nameOverride: name,
        fullnameOverride: name,
        namespaceOverride: name,
        commonLabels: labels,
        ...pod,
        ...network,
        ...monitoring,
        extraManifests: { type: 'array', items: { type: ['object', 'string'] } },
      }),
    ),
  };
}
