/** Values as people give them, for the tests of the chart. */
export const production = {
  settings: {
    auth_url: 'https://cloud.example.com:30500/v3',
    username: 'exporter',
    user_domain_name: 'Default',
    project_name: 'system',
    project_domain_name: 'Default',
    query: { scope: 'system' },
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

/** Every value is something else than its default. */
export const everything = {
  ...everyObject,
  image: {
    registry: 'registry.example.com',
    repository: 'cloud/exporter',
    tag: '1.2.3',
    pullPolicy: 'Always',
    pullSecrets: [{ name: 'registry' }],
  },
  imagePullSecrets: [{ name: 'older' }],
  extraArgs: ['--log.format=json'],
  extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=400' }],
  envFrom: [{ configMapRef: { name: 'proxy' } }],
  webConfig: { secretName: 'web', tls: true },
  nameOverride: 'clouds',
  namespaceOverride: 'clouds',
  commonLabels: { owner: 'cloud-team' },
  serviceAccount: { create: true, name: 'exporter', annotations: { note: 'x' } },
  strategy: { type: 'Recreate' },
  revisionHistoryLimit: 2,
  annotations: { note: 'x' },
  podLabels: { team: 'cloud' },
  podAnnotations: { note: 'x' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'monitoring', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
  priorityClassName: 'high',
  hostAliases: [{ ip: '192.0.2.1', hostnames: ['cloud.example.com'] }],
  dnsPolicy: 'ClusterFirst',
  dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
  initContainers: [{ name: 'before', image: 'busybox:1.37' }],
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
    namespace: 'prometheus',
    labels: { team: 'cloud' },
    interval: '2m',
    scrapeTimeout: '1m30s',
    honorLabels: false,
    sampleLimit: 60_000,
    scheme: 'https',
    tlsConfig: { ca: { secret: { name: 'ca', key: 'ca.crt' } }, serverName: 'exporter' },
    relabelings: [{ targetLabel: 'site', replacement: 'north' }],
    metricRelabelings: [{ sourceLabels: ['__name__'], regex: 'nodejs_.*', action: 'drop' }],
    endpoint: {
      basicAuth: { username: { name: 'auth', key: 'user' }, password: { name: 'auth', key: 'password' } },
    },
  },
  scrapeConfig: {
    ...enabled,
    namespace: 'prometheus',
    labels: { team: 'cloud' },
    interval: '2m',
    scrapeTimeout: '100s',
    sampleLimit: 60_000,
    spec: { bodySizeLimit: '100MB' },
  },
  prometheusRule: {
    ...enabled,
    namespace: 'prometheus',
    labels: { team: 'cloud' },
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
