// The rules and boards of this folder for those who use jsonnet (kube-prometheus, Tanka, Grizzly):
//   (import 'cloud-platform-exporter/dashboards/mixin.libsonnet') + { _config+:: { selector: 'job="clouds"' } }
// Without changes to _config it gives what the plain files hold.

// Written by `npm run docs`: jsonnet finds no files by itself, and reads no YAML with anchors.
local plain = import 'mixin/plain.libsonnet';

local plainSelector = 'job=~"cloud-platform-exporter.*"';
local thresholdPrefix = 'cloud:threshold:';

local plainGroups = std.flattenArrays([plain.rules[file].groups for file in std.objectFields(plain.rules)]);
local isThreshold(rule) = std.startsWith(std.get(rule, 'record', ''), thresholdPrefix);
local nameOf(rule) = std.substr(rule.record, std.length(thresholdPrefix), std.length(rule.record));
local hasAlerts(group) = std.length([rule for rule in group.rules if 'alert' in rule]) > 0;

{
  _config+:: {
    // Which series are the exporter's: stands in every expression.
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
  },

  local config = $._config,
  local selected(text) = std.strReplace(text, plainSelector, config.selector),
  local linked(annotations) = annotations {
    [if config.runbookBase != null && 'runbook_url' in annotations then 'runbook_url']:
      config.runbookBase + std.splitLimit(annotations.runbook_url, '#', 1)[1],
  },
  // As people write numbers: jsonnet's own 0.05 is 0.050000000000000003.
  local written(value) = if std.isNumber(value) then '%.12g' % value else value,
  local configured(rule) = rule {
    expr: if isThreshold(rule) then 'vector(%s)' % written(config.thresholds[nameOf(rule)]) else selected(rule.expr),
    [if 'annotations' in rule then 'annotations']:
      linked({ [name]: selected(rule.annotations[name]) for name in std.objectFields(rule.annotations) }),
  },

  local known = std.set([nameOf(rule) for group in plainGroups for rule in group.rules if isThreshold(rule)]),
  local unknown = std.setDiff(std.set(std.objectFields(config.thresholds)), known),
  local groups =
    if std.length(unknown) > 0
    then error 'cloud-platform-exporter: no threshold is called %s; there are: %s' % [std.join(', ', unknown), std.join(', ', known)]
    else [group { rules: std.map(configured, group.rules) } for group in plainGroups],

  prometheusAlerts+:: { groups+: std.filter(hasAlerts, groups) },
  prometheusRules+:: { groups+: std.filter(function(group) !hasAlerts(group), groups) },
  grafanaDashboards+:: plain.dashboards,
}
