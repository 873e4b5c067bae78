// The rules and boards of this folder for those who use jsonnet (kube-prometheus, Tanka, Grizzly):
//   (import 'cloud-platform-exporter/dashboards/mixin.libsonnet') + { _config+:: { selector: 'job="clouds"' } }
// Without changes to _config it gives what the plain files hold.

local plainSelector = 'job=~"cloud-platform-exporter.*"';
local plainWords = 'of a job whose name starts with cloud-platform-exporter';
local thresholdPrefix = 'cloud:threshold:';

// jsonnet finds no files by itself.
local files = [
  importstr 'rules/alerts.yml',
  importstr 'rules/recording.yml',
  importstr 'rules/thresholds.yml',
];
local plainGroups = std.flatMap(function(text) std.parseYaml(text).groups, files);
local boardTexts = {
  'exporter.json': importstr 'exporter.json',
  'fleet.json': importstr 'fleet.json',
  'gpu.json': importstr 'gpu.json',
  'growth.json': importstr 'growth.json',
  'host.json': importstr 'host.json',
  'lifecycle.json': importstr 'lifecycle.json',
  'project.json': importstr 'project.json',
};

local isThreshold(rule) = std.startsWith(std.get(rule, 'record', ''), thresholdPrefix);
local nameOf(rule) = std.substr(rule.record, std.length(thresholdPrefix), std.length(rule.record));
local hasAlerts(group) = std.length([rule for rule in group.rules if 'alert' in rule]) > 0;
local plainPrefix = 'Cloud: ';

// Every text of a value, however deep it stands.
local inTexts(change, value) =
  if std.isString(value) then change(value)
  else if std.isArray(value) then [inTexts(change, each) for each in value]
  else if std.isObject(value) then { [name]: inTexts(change, value[name]) for name in std.objectFields(value) }
  else value;

{
  _config+:: {
    // Which series are the exporter's: stands in every expression and every text of a rule, and behind the boards'
    // choice of jobs.
    selector: plainSelector,
    // What alerts compare with, by the name after cloud:threshold: in the rules; a number, or PromQL in quotes.
    thresholds: {
      [nameOf(rule)]: std.substr(rule.expr, std.length('vector('), std.length(rule.expr) - std.length('vector()'))
      for group in plainGroups
      for rule in group.rules
      if isThreshold(rule)
    },
    // What comes before the name of the alert in runbook_url; null leaves the links as they are.
    runbookBase: null,
    // The label that tells one Prometheus from another where several write into one store, such as cluster: kept in
    // every sum, and a choice on every board. null where there is none.
    clusterLabel: null,
    // Of the boards. Growth refreshes every 15 minutes at most.
    dashboardTags: ['cloud-platform-exporter'],
    dashboardPrefix: plainPrefix,
    dashboardRefresh: '1m',
  },

  local config = $._config,
  local cluster = config.clusterLabel,

  // Labels are grouped, joined and left out by a list that begins with one of these words.
  local keepCluster(text) =
    if cluster == null then text
    else std.foldl(
      function(changed, words) std.strReplace(changed, words + ' (', words + ' (' + cluster + ', '),
      ['by', 'on'],
      text
    ),
  local selected(text) =
    local changed = std.strReplace(text, plainSelector, config.selector);
    if config.selector == plainSelector then changed
    else std.strReplace(changed, plainWords, 'with ' + config.selector),
  // As people write numbers: jsonnet's own 0.05 is 0.050000000000000003.
  local written(value) = if std.isNumber(value) then '%.12g' % value else value,
  local configured(rule) = rule {
    expr:
      if isThreshold(rule) then 'vector(%s)' % written(config.thresholds[nameOf(rule)])
      else keepCluster(selected(rule.expr)),
    [if 'annotations' in rule then 'annotations']: inTexts(selected, rule.annotations) {
      [if config.runbookBase != null then 'runbook_url']: config.runbookBase + rule.alert,
    },
  },

  local known = std.set([nameOf(rule) for group in plainGroups for rule in group.rules if isThreshold(rule)]),
  local unknown = std.setDiff(std.set(std.objectFields(config.thresholds)), known),
  local groups =
    if std.length(unknown) > 0
    then error 'cloud-platform-exporter: no threshold is called %s; there are: %s' % [std.join(', ', unknown), std.join(', ', known)]
    else [group { rules: std.map(configured, group.rules) } for group in plainGroups],

  // Queries are changed in the text of a board, with its quotes escaped.
  local escaped(text) = std.strReplace(text, '"', '\\"'),
  local ofCluster = if cluster == null then '' else '%s=~"$%s", ' % [cluster, cluster],
  local ofSelector = if config.selector == plainSelector then '' else ', ' + config.selector,
  local exchanges = [
    ['job=~"$job"', ofCluster + 'job=~"$job"' + ofSelector],
    ['{__name__=~"cloud_up|cloud_exporter_build_info"}', '{__name__=~"cloud_up|cloud_exporter_build_info"%s}' % ofSelector],
  ] + (if cluster == null then [] else [
    ['{cloud=~"$cloud"', '{' + ofCluster + 'cloud=~"$cloud"'],
  ]),
  local asked(text) =
    if cluster == null && ofSelector == '' then text
    else keepCluster(std.foldl(
      function(changed, exchange) std.strReplace(changed, escaped(exchange[0]), escaped(exchange[1])),
      exchanges,
      text
    )),
  local clusterChoice(job) = job {
    name: cluster,
    label: 'Cluster',
    description: 'Where the exporters are.',
    hide: 0,
    allValue: '.*',
    query: 'label_values(cloud_up, %s)' % cluster,
    definition: self.query,
  },
  local configuredBoard(text) =
    local board = std.parseJson(asked(text));
    local choices = board.templating.list;
    board {
      tags: config.dashboardTags,
      title: config.dashboardPrefix + std.substr(super.title, std.length(plainPrefix), std.length(super.title)),
      refresh: if super.refresh == '1m' then config.dashboardRefresh else super.refresh,
      templating+: {
        list: choices[:1] + (if cluster == null then [] else [clusterChoice(choices[1])]) + choices[1:],
      },
    },

  prometheusAlerts+:: { groups+: std.filter(hasAlerts, groups) },
  prometheusRules+:: { groups+: std.filter(function(group) !hasAlerts(group), groups) },
  grafanaDashboards+:: std.mapWithKey(function(name, text) configuredBoard(text), boardTexts),
}
