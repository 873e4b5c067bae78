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
local plainBoards = {
  'exporter.json': import 'exporter.json',
  'fleet.json': import 'fleet.json',
  'gpu.json': import 'gpu.json',
  'growth.json': import 'growth.json',
  'host.json': import 'host.json',
  'lifecycle.json': import 'lifecycle.json',
  'project.json': import 'project.json',
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
  local linked(annotations) = annotations {
    [if config.runbookBase != null && 'runbook_url' in annotations then 'runbook_url']:
      config.runbookBase + std.splitLimit(annotations.runbook_url, '#', 1)[1],
  },
  // As people write numbers: jsonnet's own 0.05 is 0.050000000000000003.
  local written(value) = if std.isNumber(value) then '%.12g' % value else value,
  local configured(rule) = rule {
    expr:
      if isThreshold(rule) then 'vector(%s)' % written(config.thresholds[nameOf(rule)])
      else keepCluster(selected(rule.expr)),
    [if 'annotations' in rule then 'annotations']: linked(inTexts(selected, rule.annotations)),
  },

  local known = std.set([nameOf(rule) for group in plainGroups for rule in group.rules if isThreshold(rule)]),
  local unknown = std.setDiff(std.set(std.objectFields(config.thresholds)), known),
  local groups =
    if std.length(unknown) > 0
    then error 'cloud-platform-exporter: no threshold is called %s; there are: %s' % [std.join(', ', unknown), std.join(', ', known)]
    else [group { rules: std.map(configured, group.rules) } for group in plainGroups],

  local ofCluster = if cluster == null then '' else '%s=~"$%s", ' % [cluster, cluster],
  local ofJob = 'job=~"$job"' + (if config.selector == plainSelector then '' else ', ' + config.selector),
  local asked(text) =
    local chosen = std.strReplace(text, 'job=~"$job"', ofCluster + ofJob);
    local recorded = std.strReplace(chosen, '{cloud=~"$cloud"', '{' + ofCluster + 'cloud=~"$cloud"');
    keepCluster(std.strReplace(recorded, '{__name__=~"cloud_up|cloud_exporter_build_info"}', '{__name__=~"cloud_up|cloud_exporter_build_info"%s}' % (
      if config.selector == plainSelector then '' else ', ' + config.selector
    ))),
  local clusterChoice(board) = board.templating.list[1] {
    name: cluster,
    label: 'Cluster',
    description: 'Where the exporters are.',
    hide: 0,
    allValue: '.*',
    query: 'label_values(cloud_up, %s)' % cluster,
    definition: self.query,
  },
  local withQueries(value) =
    if std.isArray(value) then [withQueries(each) for each in value]
    else if std.isObject(value) then {
      [name]: if std.isString(value[name]) && std.member(['expr', 'query', 'definition'], name) then asked(value[name]) else withQueries(value[name])
      for name in std.objectFields(value)
    }
    else value,
  local configuredBoard(board) =
    local changed = withQueries(board);
    local list = changed.templating.list;
    changed {
      tags: config.dashboardTags,
      title: config.dashboardPrefix + std.substr(board.title, std.length(plainPrefix), std.length(board.title)),
      refresh: if board.refresh == '1m' then config.dashboardRefresh else board.refresh,
      templating+: {
        list: list[:1] + (if cluster == null then [] else [clusterChoice(board)]) + list[1:],
      },
    },

  prometheusAlerts+:: { groups+: std.filter(hasAlerts, groups) },
  prometheusRules+:: { groups+: std.filter(function(group) !hasAlerts(group), groups) },
  grafanaDashboards+:: std.mapWithKey(function(name, board) configuredBoard(board), plainBoards),
}
