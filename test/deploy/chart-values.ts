/** Values as people give them, for the tests of the chart. */
export const production = {
  settings: {
    auth_url: 'https://cloud.example.com:30500/v3',
    username: 'exporter',
    user_domain_name: 'Default',
    project_name: 'system',
    project_domain_name: 'Default',
    labels: { team: 'metadata.user:team' },
  },
  secrets: { password: { name: 'cloud-production', key: 'password' } },
};

export const lab = {
  settings: { auth_url: 'https://lab.example.com/v3', max_age: '30s' },
  secrets: {
    access_key: { name: 'cloud-lab', key: 'id' },
    secret_key: { name: 'cloud-lab', key: 'secret' },
  },
};

const enabled = { enabled: true };

/** Every object that the chart knows, with nothing else changed. */
export const everyObject = {
  clouds: { production, lab },
  networkPolicy: enabled,
  serviceMonitor: enabled,
  scrapeConfig: enabled,
  prometheusRule: enabled,
  dashboards: { ...enabled, folder: 'Cloud', grafanaOperator: enabled },
};

const auth = (key: string) => ({ name: 'auth', key });

/** What a guarded door asks for. */
export const access = {
  tlsConfig: { ca: { secret: { name: 'ca', key: 'ca.crt' } }, serverName: 'exporter' },
  basicAuth: { username: auth('user'), password: auth('password') },
};

/** What is handed on to the pod as it is. */
export const podFields = {
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'monitoring', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
  priorityClassName: 'high',
  hostAliases: [{ ip: '192.0.2.1', hostnames: ['cloud.example.com'] }],
  dnsPolicy: 'ClusterFirst',
  dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
  initContainers: [{ name: 'before', image: 'busybox:1.37' }],
};

/** Nearly every value is something else than its default. */
export const everything = {
  ...everyObject,
  ...podFields,
  image: { registry: 'registry.example.com', repository: 'cloud/exporter', tag: '1.2.3' },
  extraArgs: ['--log.format=json'],
  extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=400' }],
  envFrom: [{ configMapRef: { name: 'proxy' } }],
  webConfig: { secretName: 'web' },
  nameOverride: 'clouds',
  namespaceOverride: 'clouds',
  commonLabels: { owner: 'cloud-team' },
  serviceAccount: { name: 'exporter', annotations: { note: 'x' } },
  strategy: { type: 'Recreate' },
  annotations: { note: 'x' },
  podLabels: { team: 'cloud' },
  podAnnotations: { note: 'x' },
  sidecars: [{ name: 'beside', image: 'busybox:1.37' }],
  extraVolumes: [{ name: 'more', emptyDir: {} }],
  extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
  service: {
    type: 'NodePort',
    port: 8080,
    nodePort: 30_700,
    ipFamilyPolicy: 'PreferDualStack',
    ipFamilies: ['IPv4', 'IPv6'],
    annotations: { note: 'x' },
    labels: { note: 'x' },
  },
  networkPolicy: {
    ...enabled,
    from: [{ podSelector: {} }],
    platformPorts: [8443],
    extraEgress: [{ ports: [{ port: 9999 }] }],
  },
  prometheusRelease: 'kps',
  serviceMonitor: {
    ...enabled,
    ...access,
    namespace: 'prometheus',
    labels: { team: 'cloud' },
    sampleLimit: 60_000,
    relabelings: [{ targetLabel: 'site', replacement: 'north' }],
    metricRelabelings: [{ sourceLabels: ['__name__'], regex: 'nodejs_.*', action: 'drop' }],
    endpoint: { followRedirects: false },
  },
  scrapeConfig: {
    ...enabled,
    namespace: 'prometheus',
    sampleLimit: 60_000,
    spec: { bodySizeLimit: '100MB' },
  },
  prometheusRule: {
    ...enabled,
    namespace: 'prometheus',
    runbookBase: 'https://wiki.example.com/clouds/',
    extraRules: [{ name: 'own', rules: [{ record: 'own:sum', expr: 'sum(cloud_servers)' }] }],
  },
  dashboards: {
    ...enabled,
    namespace: 'grafana',
    labels: { grafana_dashboard: 'yes' },
    folder: 'Clouds',
    folderAnnotation: 'k8s-sidecar-target-directory',
    annotations: { note: 'x' },
    grafanaOperator: {
      ...enabled,
      instanceSelector: { matchLabels: { grafana: 'main' } },
      allowCrossNamespaceImport: false,
    },
  },
  extraManifests: [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-one', namespace: 'x' } },
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-two\n  namespace: x\n',
  ],
};
