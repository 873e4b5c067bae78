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
  const { properties, patternProperties, additionalProperties: others } = schema;
  return {
    ...schema,
    ...(isSchema(properties) && { properties: withNulls(properties as Record<string, Schema>) }),
    ...(isSchema(patternProperties) && {
      patternProperties: withNulls(patternProperties as Record<string, Schema>),
    }),
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

const whole = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum });
const mapOf = (items: Schema): Schema => ({ type: 'object', additionalProperties: items });
/** In place of `propertyNames`, of which Helm names the place and not the key. */
const mapByName = (keys: string, items: Schema): Schema => map({}, { patternProperties: { [keys]: items } });
const listOf = (items: Schema): Schema => ({ type: 'array', items });
const matching = (pattern: string, more: Schema = {}): Schema => ({ type: 'string', pattern, ...more });
const oneOf = (...words: readonly string[]): Schema => ({ enum: ['', ...words] });
const each = (keys: string, schema: Schema) =>
  Object.fromEntries(keys.split(' ').map((key): [string, Schema] => [key, schema]));

/** As Kubernetes or its operator takes it: its keys are known here, and checked there. */
const keysOf = (keys: string, more: Schema = {}): Schema => map(each(keys, {}), more);

/** What several keys take, or what the default of a key doesn't tell. */
const port = whole(1, 65_535);
const name = matching('^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$', { maxLength: 63 });
const objectName = matching('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$', { maxLength: 253 });
const labelValue = matching('^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$', { maxLength: 63 });
const time = matching('^([0-9]+(ms|[smhdwy]))*$');
const anyMap: Schema = { type: 'object' };
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
    if (key !== 'labels') return [key, schema];
    const { propertyNames: _names, additionalProperties: items, ...labels } = schema;
    return [key, { ...labels, ...mapByName(labelName, items as Schema) }];
  });
  const { $schema: _, ...plain } = rest;
  return { ...plain, properties: Object.fromEntries(members), required: ['auth_url'] };
}

const secretKey = map({ name: objectName, key: { type: 'string' } }, { required: ['name', 'key'] });
const secrets = map(each([...secretKeys, 'cacert', 'cert', 'key'].join(' '), secretKey));

/** Each of these keys has one meaning, wherever it stands. */
const byKey: Readonly<Record<string, Schema>> = {
  clouds: mapByName(
    '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
    map({ settings: settings(), secrets }, { required: ['settings'] }),
  ),
  tag: matching('^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$'),
  digest: matching('^([a-z0-9]+:[0-9a-f]{32,})?$'),
  pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
  ...each('name secretName', objectName),
  ...each('nameOverride fullnameOverride namespaceOverride namespace prometheusNamespace', name),
  ...each('labels commonLabels podLabels nodeSelector', mapOf(labelValue)),
  prometheusRelease: labelValue,
  ...each('annotations podAnnotations commonAnnotations', mapOf({ type: 'string' })),
  extraArgs: listOf(matching('^--')),
  extraEnv: listOf(keysOf('name value valueFrom', { required: ['name'] })),
  envFrom: listOf(keysOf('prefix configMapRef secretRef')),
  pullSecrets: listOf(keysOf('name')),
  strategy: keysOf('type rollingUpdate'),
  resources: keysOf('limits requests claims'),
  hostAliases: listOf(keysOf('ip hostnames')),
  dnsConfig: keysOf('nameservers searches options'),
  basicAuth: keysOf('username password'),
  tlsConfig: keysOf(
    'ca cert keySecret serverName insecureSkipVerify minVersion maxVersion caFile certFile keyFile',
  ),
  extraRules: listOf({ type: 'object', required: ['name', 'rules'] }),
  extraManifests: listOf({ type: ['object', 'string'] }),
  shards: whole(0, 1000),
  revisionHistoryLimit: whole(0, 2 ** 31 - 1),
  sampleLimit: whole(0, 2 ** 31),
  dnsPolicy: oneOf('ClusterFirst', 'Default', 'None'),
  type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
  ...each('port nodePort', port),
  platformPorts: listOf(port),
  ipFamilyPolicy: oneOf('SingleStack', 'PreferDualStack', 'RequireDualStack'),
  ipFamilies: listOf({ enum: ['IPv4', 'IPv6'] }),
  // As Kubernetes takes them; the defaults are only some of their keys.
  ...each('podSecurityContext securityContext instanceSelector', anyMap),
  ...each('livenessProbe readinessProbe startupProbe', anyMap),
  enabled: { type: 'boolean' },
  ...each('interval scrapeTimeout', time),
  groups: mapOf({ type: 'boolean' }),
  thresholds: mapOf({ type: 'number' }),
  disabled: listOf({ type: 'string' }),
  alerts: mapOf(
    map({
      severity: { type: 'string', minLength: 1 },
      for: time,
      labels: mapByName(labelName, { type: 'string' }),
    }),
  ),
  runbookBase: matching('^(https?://.+)?$'),
  // As the flag takes it.
  externalUrl: matching('^(https?://[^\\s@?#]+)?$'),
};

/** A value that no table describes is of the type of its default, and an empty map takes everything. */
function schemaOf(key: string, value: unknown): Schema {
  if (byKey[key]) return byKey[key];
  if (Array.isArray(value)) return { type: 'array' };
  if (!isSchema(value)) return { type: typeof value };
  return Object.keys(value).length === 0 ? anyMap : map(schemasOf(value));
}

const schemasOf = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, schemaOf(key, value)]));

/** What Helm accepts as values of the chart, which has these for a default. */
export function valuesSchema(defaults: Readonly<Record<string, object>>): Schema {
  // For the chart around this one, which may have it as its condition; read by Helm alone.
  const ofHelm = { global: {}, enabled: true };
  const members = schemasOf({ ...ofHelm, ...defaults });
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...membersOrNull(map(members)) };
}
