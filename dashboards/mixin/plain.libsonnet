// Written by `npm run docs`.
{
  rules: {
  "alerts.yml": {
    "groups": [
      {
        "name": "cloud-platform-exporter.exporter",
        "rules": [
          {
            "alert": "CloudExporterDown",
            "expr": "up{job=~\"cloud-platform-exporter.*\"} == 0 and on (job, instance) (cloud_instance:cloud_up:last unless on (cloud) cloud_up{job=~\"cloud-platform-exporter.*\"}) or up{job=~\"cloud-platform-exporter.*\"} == 0 unless on (job, instance) cloud_instance:cloud_up:last unless on (job) up{job=~\"cloud-platform-exporter.*\"} == 1",
            "for": "5m",
            "labels": {
              "severity": "critical",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Exporter {{ $labels.instance }} is down, and nobody else reads its clouds.",
              "description": "Prometheus cannot scrape {{ $labels.instance }} (job {{ $labels.job }}), the only exporter of {{ with printf `count(cloud_instance:cloud_up:last{job=%q, instance=%q} unless on (cloud) cloud_up)` $labels.job $labels.instance | query }}{{ . | first | value }} clouds{{ else }}its clouds{{ end }}; nothing is known of them. First read the error on Prometheus' page Status, Targets. Then see whether the process runs (http://{{ $labels.instance }}/-/healthy answers) and read the last lines of its log: start it, or open the network. If the error speaks of sample_limit or body_size_limit, raise that limit of the scrape, or turn off per_server. A cloud that is down is never the cause."
            }
          },
          {
            "alert": "CloudExporterDown",
            "expr": "up{job=~\"cloud-platform-exporter.*\"} == 0 and on (job, instance) cloud_instance:cloud_up:last unless on (job, instance) (cloud_instance:cloud_up:last unless on (cloud) cloud_up{job=~\"cloud-platform-exporter.*\"}) or up{job=~\"cloud-platform-exporter.*\"} == 0 unless on (job, instance) cloud_instance:cloud_up:last and on (job) up{job=~\"cloud-platform-exporter.*\"} == 1",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Exporter {{ $labels.instance }} is down; other exporters still read its clouds.",
              "description": "Prometheus cannot scrape {{ $labels.instance }} (job {{ $labels.job }}). Other exporters still read its clouds, so no number is missing, but the next one that dies may take clouds along. First read the error on Prometheus' page Status, Targets, and start the exporter again."
            }
          },
          {
            "alert": "CloudNotObserved",
            "expr": "absent(up{job=~\"cloud-platform-exporter.*\"})",
            "for": "5m",
            "labels": {
              "severity": "critical",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Prometheus scrapes no exporter at all.",
              "description": "Prometheus has no target of a job whose name starts with cloud-platform-exporter; nothing is known of any cloud. First see on Prometheus' page Status, Targets, whether the job is there and finds its targets: take the job over from deploy/prometheus/prometheus.yml, or give yours a name that starts so."
            }
          },
          {
            "alert": "CloudNotObserved",
            "expr": "max by (cloud) (last_over_time(cloud_up{job=~\"cloud-platform-exporter.*\"}[6h])) unless on (cloud) cloud_up{job=~\"cloud-platform-exporter.*\"} unless on (cloud) cloud_instance:cloud_up:last",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Cloud {{ $labels.cloud }} is no longer watched.",
              "description": "No exporter reports cloud {{ $labels.cloud }}, but one did within the last 6 hours. First see on the exporter's landing page whether the cloud is still in its configuration. Put it back; if it was removed on purpose, silence this: it ends by itself after 6 hours."
            }
          },
          {
            "alert": "CloudNotObserved",
            "expr": "max by (cloud) (cloud_instance:cloud_up:last unless on (cloud) cloud_up{job=~\"cloud-platform-exporter.*\"})",
            "for": "5m",
            "labels": {
              "severity": "info",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Cloud {{ $labels.cloud }} is not watched because its exporter is down.",
              "description": "The exporter of cloud {{ $labels.cloud }} is down; nothing is known of the cloud. First see to CloudExporterDown, which says what to do."
            }
          },
          {
            "alert": "CloudConfigRejected",
            "expr": "max without (pod) (cloud_exporter_config_reload_success{job=~\"cloud-platform-exporter.*\"}) == 0 or max without (pod) (cloud_exporter_config_files_rejected{job=~\"cloud-platform-exporter.*\"}) > 0",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Exporter {{ $labels.instance }} did not accept its configuration.",
              "description": "{{ if $value }}{{ $labels.instance }} has left out {{ $value }} of its configuration files; the clouds in them are not watched. {{ else }}The latest reload of {{ $labels.instance }} failed; it goes on with the configuration it had, but would not start with the new one. {{ end }} First read its log, which names every mistake with its place in the file; correct the file and reload.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudConfigRejected"
            }
          },
          {
            "alert": "CloudShardMissing",
            "expr": "count by (job, namespace) (count_values by (job, namespace) (\"shard\", cloud_exporter_shard_ordinal{job=~\"cloud-platform-exporter.*\"})) < max by (job, namespace) (cloud_exporter_total_shards{job=~\"cloud-platform-exporter.*\"})",
            "for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "A part of the clouds of job {{ $labels.job }} has no exporter.",
              "description": "Only {{ $value }} shards of job {{ $labels.job }} are there {{- with printf `max(cloud_exporter_total_shards{job=%q})` $labels.job | query }}, of {{ . | first | value }}{{ end }}; the clouds of the others are not watched. First see on Prometheus' page Status, Targets, which --shard is missing; start it, or correct its number.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudShardMissing"
            }
          },
          {
            "alert": "CloudShardsDisagree",
            "expr": "count_values by (job, namespace) (\n  \"shard\",\n  cloud_exporter_shard_ordinal{job=~\"cloud-platform-exporter.*\"}\n  and on (job, instance) cloud_exporter_total_shards{job=~\"cloud-platform-exporter.*\"} > 1\n) > 1 or max by (job, namespace) (cloud_exporter_total_shards{job=~\"cloud-platform-exporter.*\"}) > min by (job, namespace) (cloud_exporter_total_shards{job=~\"cloud-platform-exporter.*\"})",
            "for": "15m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Exporters of job {{ $labels.job }} disagree about their shards.",
              "description": "{{ with $labels.shard }}{{ $value }} exporters say that they are shard {{ . }}; its clouds are read twice. First compare their flag --shard. {{ else }}Some exporters take themselves for one of {{ $value }} shards, others for one of fewer; a cloud may be read twice or not at all. First compare their flag --total-shards.{{ end }} This is about job {{ $labels.job }}.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudShardsDisagree"
            }
          },
          {
            "alert": "CloudSeriesLimitHit",
            "expr": "max by (cloud) (cloud_exporter_series_dropped{job=~\"cloud-platform-exporter.*\"}) > 0",
            "for": "15m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Series of cloud {{ $labels.cloud }} are left out.",
              "description": "The setting series_limit of cloud {{ $labels.cloud }} leaves out {{ $value | humanize }} series: details of servers or hosts are missing, sums are right. First see whether per_server or an extra label makes so many; else raise series_limit, and sample_limit of the scrape with it.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudSeriesLimitHit"
            }
          },
          {
            "alert": "CloudRulesMissing",
            "expr": "label_replace(absent(cloud:threshold:failed_servers), \"file\", \"thresholds.yml\", \"\", \"\") or label_replace(\n  absent(cloud:cloud_servers:sum) and on () count(cloud_snapshot_timestamp_seconds{job=~\"cloud-platform-exporter.*\"}),\n  \"file\", \"recording.yml\", \"\", \"\"\n)",
            "for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Prometheus does not load {{ $labels.file }}.",
              "description": "The rule file {{ $labels.file }} is not evaluated, and most alerts about clouds never fire without it. First see on Prometheus' page Status, Rules, whether it is there and has errors; load all three files of rules/.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudRulesMissing"
            }
          },
          {
            "alert": "CloudWatchdog",
            "expr": "vector(1)",
            "labels": {
              "severity": "info",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Alerts of clouds are evaluated.",
              "description": "This alert always fires, and means nothing by itself. Send it to a dead man's switch, which tells you when it no longer arrives: then Prometheus or Alertmanager is down.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudWatchdog"
            }
          }
        ]
      },
      {
        "name": "cloud-platform-exporter.collection",
        "rules": [
          {
            "alert": "CloudDown",
            "expr": "max by (cloud) (cloud_up{job=~\"cloud-platform-exporter.*\"}) == 0",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "Cloud {{ $labels.cloud }} cannot be read.",
              "description": "Nobody can read cloud {{ $labels.cloud }} {{- with printf `topk(1, sum by (reason) (increase(cloud_exporter_collection_failures_total{cloud=%q}[15m])) > 0)` $labels.cloud | query }}, most often because of {{ . | first | label \"reason\" }}{{ end }} {{- with printf `cloud:cloud_last_success_timestamp_seconds:max{cloud=%q}` $labels.cloud | query }}; it was read last at {{ . | first | value | humanizeTimestamp }}{{ end }}. What happens to its servers is not known. First read the exporter's log, which has the reason and the cure, and try to log in to the platform yourself.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudDown"
            }
          },
          {
            "alert": "CloudDown",
            "expr": "max by (cloud) (cloud_up{job=~\"cloud-platform-exporter.*\"}) == 0",
            "for": "15m",
            "labels": {
              "severity": "critical",
              "concern": "collection"
            },
            "annotations": {
              "summary": "Cloud {{ $labels.cloud }} cannot be read.",
              "description": "Nobody can read cloud {{ $labels.cloud }} {{- with printf `topk(1, sum by (reason) (increase(cloud_exporter_collection_failures_total{cloud=%q}[15m])) > 0)` $labels.cloud | query }}, most often because of {{ . | first | label \"reason\" }}{{ end }} {{- with printf `cloud:cloud_last_success_timestamp_seconds:max{cloud=%q}` $labels.cloud | query }}; it was read last at {{ . | first | value | humanizeTimestamp }}{{ end }}. What happens to its servers is not known. First read the exporter's log, which has the reason and the cure, and try to log in to the platform yourself.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudDown"
            }
          },
          {
            "alert": "CloudDown",
            "expr": "max by (cloud) (changes(cloud_up{job=~\"cloud-platform-exporter.*\"}[1h])) >= scalar(max(cloud:threshold_override:unsteady_changes) or max(cloud:threshold:unsteady_changes))",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "collection",
              "what": "unsteady"
            },
            "annotations": {
              "summary": "Cloud {{ $labels.cloud }} can be read only now and then.",
              "description": "Reading cloud {{ $labels.cloud }} began to fail or to work {{ $value }} times within an hour: one of several API servers may be broken, or the platform is at its limit. First look at the reasons on the board Exporter; lower concurrency or raise request_timeout if the platform is slow.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudDown"
            }
          },
          {
            "alert": "CloudsDown",
            "expr": "job:cloud_down:ratio",
            "for": "3m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "Most clouds of job {{ $labels.job }} cannot be read.",
              "description": "{{ $value | humanizePercentage }} of the clouds {{ with $labels.instance }}of exporter {{ . }} {{ end }}(job {{ $labels.job }}) cannot be read: {{ range printf `max by (cloud) (cloud_instance:cloud_up:max{job=%q}) == 0` $labels.job | query | sortByLabel \"cloud\" }}{{ .Labels.cloud }} {{ end }} - so the cause is most likely on this side: network, DNS, proxy, certificates, or a platform that they share. First try to reach one of them from the exporter's machine, and read the exporter's log. A cloud that goes down later is told by itself.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudsDown"
            }
          },
          {
            "alert": "CloudsDown",
            "expr": "job:cloud_down:ratio",
            "for": "15m",
            "labels": {
              "severity": "critical",
              "concern": "collection"
            },
            "annotations": {
              "summary": "Most clouds of job {{ $labels.job }} cannot be read.",
              "description": "{{ $value | humanizePercentage }} of the clouds {{ with $labels.instance }}of exporter {{ . }} {{ end }}(job {{ $labels.job }}) cannot be read: {{ range printf `max by (cloud) (cloud_instance:cloud_up:max{job=%q}) == 0` $labels.job | query | sortByLabel \"cloud\" }}{{ .Labels.cloud }} {{ end }} - so the cause is most likely on this side: network, DNS, proxy, certificates, or a platform that they share. First try to reach one of them from the exporter's machine, and read the exporter's log. A cloud that goes down later is told by itself.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudsDown"
            }
          },
          {
            "alert": "CloudsDown",
            "expr": "max by (cloud) (cloud_up{job=~\"cloud-platform-exporter.*\"}) == 0 and on (cloud) (\n  cloud_instance:cloud_up:max and on (job, instance) job:cloud_down:ratio\n  or\n  cloud_instance:cloud_up:max and on (job) job:cloud_down:ratio{instance=\"\"}\n) unless on (cloud) cloud:cloud_last_success_timestamp_seconds:max > scalar(quantile(0.5, cloud:cloud_last_success_timestamp_seconds:max and on (cloud) cloud_instance:cloud_up:max == 0)) + scalar(max(cloud:threshold_override:storm_seconds) or max(cloud:threshold:storm_seconds))",
            "for": "3m",
            "labels": {
              "severity": "info",
              "concern": "collection"
            },
            "annotations": {
              "summary": "Cloud {{ $labels.cloud }} went down together with others.",
              "description": "Cloud {{ $labels.cloud }} cannot be read since most clouds of its exporter cannot. First see to the alert about all of them.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudsDown"
            }
          },
          {
            "alert": "CloudLoginRefused",
            "expr": "max by (cloud, reason) (\n  increase(\n    cloud_exporter_login_failures_total{job=~\"cloud-platform-exporter.*\", reason=~\"unauthorized|forbidden|throttled|rejected|secret\"}[30m]\n  )\n) >= scalar(max(cloud:threshold_override:login_refusals) or max(cloud:threshold:login_refusals))",
            "for": "1m",
            "labels": {
              "severity": "warning",
              "concern": "collection",
              "what": "refused"
            },
            "annotations": {
              "summary": "Cloud {{ $labels.cloud }} refuses the login of the exporter.",
              "description": "Logins to cloud {{ $labels.cloud }} were refused as {{ $labels.reason }} about {{ $value | printf \"%.0f\" }} times within half an hour; the cloud goes down when the token that is still held ends. First log in to the platform with the same account: its password, a lock, or its roles. Then correct the secret.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudLoginRefused"
            }
          },
          {
            "alert": "CloudLoginRefused",
            "expr": "max by (cloud, reason) (\n  increase(\n    cloud_exporter_login_failures_total{job=~\"cloud-platform-exporter.*\", reason!~\"unauthorized|forbidden|throttled|rejected|secret\"}[30m]\n  )\n) >= scalar(max(cloud:threshold_override:login_refusals) or max(cloud:threshold:login_refusals)) or on (cloud) time() - max by (cloud) (last_over_time(cloud_token_expiry_timestamp_seconds{job=~\"cloud-platform-exporter.*\"}[1d])) > scalar(max(cloud:threshold_override:token_dead_seconds) or max(cloud:threshold:token_dead_seconds)) and on (cloud) cloud_up{job=~\"cloud-platform-exporter.*\"}",
            "for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "collection",
              "what": "token"
            },
            "annotations": {
              "summary": "The token for cloud {{ $labels.cloud }} is not renewed.",
              "description": "{{ with $labels.reason }}Logins to cloud {{ $labels.cloud }} fail ({{ . }}), about {{ $value | printf \"%.0f\" }} times within half an hour; it goes down when the token that is still held ends.{{ else }}The token for cloud {{ $labels.cloud }} ended {{ $value | humanizeDuration }} ago and there is no new one.{{ end }} First read the exporter's log about logins; it names what to do for each reason.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudLoginRefused"
            }
          },
          {
            "alert": "CloudPasswordExpiring",
            "expr": "min by (cloud) (cloud_password_expiry_timestamp_seconds{job=~\"cloud-platform-exporter.*\"}) - time() < scalar(max(cloud:threshold_override:password_left_seconds) or max(cloud:threshold:password_left_seconds))",
            "for": "1h",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The password of the exporter's account on cloud {{ $labels.cloud }} ends soon.",
              "description": "{{ if lt $value 0.0 }}The password with which the exporter logs in to cloud {{ $labels.cloud }} has ended.{{ else }}The password with which the exporter logs in to cloud {{ $labels.cloud }} ends in {{ $value | humanizeDuration }}.{{ end }} First set a new one on the platform and in the exporter's secret; a secret file needs no restart.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudPasswordExpiring"
            }
          },
          {
            "alert": "CloudPasswordExpiring",
            "expr": "min by (cloud) (cloud_password_expiry_timestamp_seconds{job=~\"cloud-platform-exporter.*\"}) - time() < scalar(max(cloud:threshold_override:password_left_critical_seconds) or max(cloud:threshold:password_left_critical_seconds))",
            "for": "15m",
            "labels": {
              "severity": "critical",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The password of the exporter's account on cloud {{ $labels.cloud }} ends soon.",
              "description": "{{ if lt $value 0.0 }}The password with which the exporter logs in to cloud {{ $labels.cloud }} has ended.{{ else }}The password with which the exporter logs in to cloud {{ $labels.cloud }} ends in {{ $value | humanizeDuration }}.{{ end }} First set a new one on the platform and in the exporter's secret; a secret file needs no restart.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudPasswordExpiring"
            }
          },
          {
            "alert": "CloudListIncomplete",
            "expr": "max by (cloud, resource) (\n  cloud_list_reported{job=~\"cloud-platform-exporter.*\", resource=~\"servers|hosts|storages|isolated_devices\"}\n  - cloud_list_received{job=~\"cloud-platform-exporter.*\", resource=~\"servers|hosts|storages|isolated_devices\"}\n  - (\n    sum without (reason) (cloud_list_rejected{job=~\"cloud-platform-exporter.*\", resource=~\"servers|hosts|storages|isolated_devices\"})\n    or 0 * cloud_list_received{job=~\"cloud-platform-exporter.*\", resource=~\"servers|hosts|storages|isolated_devices\"}\n  )\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) > scalar(max(cloud:threshold_override:missing_servers) or max(cloud:threshold:missing_servers)) or max by (cloud, resource, reason) (\n  cloud_list_rejected{job=~\"cloud-platform-exporter.*\", resource=~\"servers|hosts|storages|isolated_devices\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) > 0",
            "for": "30m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "Some {{ $labels.resource }} of cloud {{ $labels.cloud }} are missing from its list.",
              "description": "{{ with $labels.reason }}{{ $value | humanize }} records of {{ $labels.resource }} of cloud {{ $labels.cloud }} cannot be understood ({{ . }}) and are counted nowhere. First look at them in the exporter's log at level debug.{{ else }}The platform says that cloud {{ $labels.cloud }} has {{ $value | humanize }} more {{ $labels.resource }} than it lists. First list them by hand and compare with the total.{{ end }}",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudListIncomplete"
            }
          },
          {
            "alert": "CloudSnapshotOld",
            "expr": "time() - cloud:cloud_last_success_timestamp_seconds:max > scalar(max(cloud:threshold_override:age_seconds) or max(cloud:threshold:age_seconds)) unless (\n  min_over_time(abs(time() - cloud:cloud_last_success_timestamp_seconds:max)[15m:1m])\n  > scalar(max(cloud:threshold_override:age_seconds) or max(cloud:threshold:age_seconds))\n  and\n  changes(cloud:cloud_last_success_timestamp_seconds:max[15m]) > 0\n) and on (cloud) cloud_up{job=~\"cloud-platform-exporter.*\"}",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "collection",
              "what": "old"
            },
            "annotations": {
              "summary": "The numbers of cloud {{ $labels.cloud }} are old.",
              "description": "Cloud {{ $labels.cloud }} was read last {{ $value | humanizeDuration }} ago. First see on the board Exporter whether a collection hangs, or whether Prometheus scrapes more seldom than that; if max_age is meant to be so high, raise the threshold age_seconds.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudSnapshotOld"
            }
          },
          {
            "alert": "CloudSnapshotOld",
            "expr": "min_over_time(abs(time() - cloud:cloud_last_success_timestamp_seconds:max)[15m:1m]) > scalar(max(cloud:threshold_override:age_seconds) or max(cloud:threshold:age_seconds)) and changes(cloud:cloud_last_success_timestamp_seconds:max[15m]) > 0 and on (cloud) cloud_up{job=~\"cloud-platform-exporter.*\"}",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "collection",
              "what": "clock"
            },
            "annotations": {
              "summary": "The clock of the exporter of cloud {{ $labels.cloud }} is wrong.",
              "description": "Cloud {{ $labels.cloud }} is read regularly, but by the exporter's clock {{ $value | humanizeDuration }} from now: its clock and that of Prometheus differ. First compare both with the time, and see to NTP on the machine that is wrong.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudSnapshotOld"
            }
          },
          {
            "alert": "CloudSnapshotOld",
            "expr": "max by (cloud) (increase(cloud_exporter_stale_answers_total{job=~\"cloud-platform-exporter.*\"}[15m])) >= scalar(max(cloud:threshold_override:stale_answers) or max(cloud:threshold:stale_answers)) and on (cloud) max by (cloud) (min_over_time(cloud_up{job=~\"cloud-platform-exporter.*\"}[15m])) == 1",
            "for": "15m",
            "labels": {
              "severity": "warning",
              "concern": "collection",
              "what": "slow"
            },
            "annotations": {
              "summary": "Cloud {{ $labels.cloud }} takes longer to read than a scrape waits.",
              "description": "Scrapes of cloud {{ $labels.cloud }} end before its collection does {{- with printf `max(cloud_collection_duration_seconds{cloud=%q})` $labels.cloud | query }}, which takes {{ . | first | value | humanizeDuration }}{{ end }}; about {{ $value | printf \"%.0f\" }} within 15 minutes were answered with the numbers of the time before. First raise scrape_timeout and scrape_interval.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudSnapshotOld"
            }
          },
          {
            "alert": "CloudResourceUnreadable",
            "expr": "max by (cloud, resource) (max_over_time(cloud_list_up{job=~\"cloud-platform-exporter.*\", resource=~\"hosts|storages|isolated_devices\"}[26h])) == 1 unless on (cloud, resource) max by (cloud, resource) (cloud_list_up{job=~\"cloud-platform-exporter.*\", resource=~\"hosts|storages|isolated_devices\"}) == 1 and on (cloud) cloud_snapshot_timestamp_seconds{job=~\"cloud-platform-exporter.*\"} or max by (cloud, resource) (max_over_time(cloud_list_received{job=~\"cloud-platform-exporter.*\", resource=~\"hosts|storages|isolated_devices\"}[26h])) > 0 and on (cloud, resource) max by (cloud, resource) (cloud_list_received{job=~\"cloud-platform-exporter.*\", resource=~\"hosts|storages|isolated_devices\"}) == 0",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The {{ $labels.resource }} of cloud {{ $labels.cloud }} can no longer be read.",
              "description": "Within the last day the exporter could list the {{ $labels.resource }} of cloud {{ $labels.cloud }}, and now it cannot, or the list is empty: alerts about them stay silent, and room is not known. First run cloud-platform-exporter check, which says which right the account lacks and how to grant it. If list_{{ $labels.resource }}: false is meant, silence this: it ends by itself after a day.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudResourceUnreadable"
            }
          }
        ]
      },
      {
        "name": "cloud-platform-exporter.fleet",
        "rules": [
          {
            "alert": "CloudServerProblem",
            "expr": "max without (job, instance, pod) (\n  cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=~\"failed|stuck\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) or (\n  max without (job, instance, pod) (\n    cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"unknown\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n  unless on (cloud, id)\n  cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"host_down\"}\n) or on (cloud, id) max without (job, instance, pod) (\n  cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"expired\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) or on (cloud, id) max without (job, instance, pod) (\n  cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"standby_down\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n)",
            "for": "15m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Server {{ $labels.name }} of cloud {{ $labels.cloud }} needs attention: {{ $labels.problem }}.",
              "description": "Server {{ $labels.name }} ({{ $labels.id }}) of project {{ $labels.project }} in cloud {{ $labels.cloud }} {{ if eq $labels.problem \"failed\" }}is broken or never came to be{{ else if eq $labels.problem \"stuck\" }}has been in transition for too long{{ else if eq $labels.problem \"unknown\" }}is in a state that the platform does not know, though its host is not known to be down{{ else if eq $labels.problem \"expired\" }}is past its end, and may be deleted by the platform or its provider{{ else }}has lost its standby and would not survive the loss of host {{ $labels.host }}{{ end }} {{- with printf `max(cloud_server_problem_timestamp_seconds{cloud=%q, id=%q, problem=%q})` $labels.cloud $labels.id $labels.problem | query }}, since {{ . | first | value | humanizeTimestamp }}{{ end }}. First {{ if eq $labels.problem \"expired\" }}renew it, or delete it{{ else if eq $labels.problem \"unknown\" }}sync its status on the platform{{ else if eq $labels.problem \"standby_down\" }}look at its backup host on the platform{{ else }}read its task log on the platform{{ end }}.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudServerProblem"
            }
          },
          {
            "alert": "CloudServersFailed",
            "expr": "cloud:cloud_servers_failed:sum - (last_over_time(cloud:cloud_servers_failed:sum[6h] offset 1d) or 0 * cloud:cloud_servers_failed:sum) >= on (cloud) clamp_min(\n  clamp_max(\n    scalar(max(cloud:threshold_override:failed_ratio) or max(cloud:threshold:failed_ratio)) * cloud:cloud_servers_live:sum,\n    scalar(max(cloud:threshold_override:failed_servers) or max(cloud:threshold:failed_servers))\n  ),\n  scalar(max(cloud:threshold_override:failed_servers_least) or max(cloud:threshold:failed_servers_least))\n)",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Many servers of cloud {{ $labels.cloud }} failed.",
              "description": "{{ $value | humanize }} more servers of cloud {{ $labels.cloud }} are failed than a day ago {{- with printf `cloud:cloud_servers_live:sum{cloud=%q}` $labels.cloud | query }}, of {{ . | first | value | humanize }}{{ end }}. First see on the board Fleet what they share (zone, project, hypervisor), and look for storage, network or an automation behind it.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudServersFailed"
            }
          },
          {
            "alert": "CloudServersLost",
            "expr": "label_replace(\n  cloud:cloud_servers_lost:ratio1d >= scalar(max(cloud:threshold_override:lost_ratio) or max(cloud:threshold:lost_ratio))\n  unless (\n    max_over_time(cloud:cloud_servers_lost:ratio1h[25h]) < scalar(max(cloud:threshold_override:lost_ratio) or max(cloud:threshold:lost_ratio))\n    and\n    cloud:cloud_servers_live:sum\n    > (1 - scalar(max(cloud:threshold_override:lost_ratio) or max(cloud:threshold:lost_ratio))) * last_over_time(cloud:cloud_servers_live:sum[6h] offset 1d)\n  )\n  and (\n    cloud:cloud_servers_pending_deletion:sum - min_over_time(cloud:cloud_servers_pending_deletion:sum[25h])\n    > scalar(max(cloud:threshold_override:recycled_ratio) or max(cloud:threshold:recycled_ratio)) * (max_over_time(cloud:cloud_servers_live:sum[25h]) - cloud:cloud_servers_live:sum)\n  ),\n  \"what\", \"recycled\", \"\", \"\"\n) or on (cloud) label_replace(\n  cloud:cloud_servers_lost:ratio1d >= scalar(max(cloud:threshold_override:lost_ratio) or max(cloud:threshold:lost_ratio))\n  unless (\n    max_over_time(cloud:cloud_servers_lost:ratio1h[25h]) < scalar(max(cloud:threshold_override:lost_ratio) or max(cloud:threshold:lost_ratio))\n    and\n    cloud:cloud_servers_live:sum\n    > (1 - scalar(max(cloud:threshold_override:lost_ratio) or max(cloud:threshold:lost_ratio))) * last_over_time(cloud:cloud_servers_live:sum[6h] offset 1d)\n  ),\n  \"what\", \"vanished\", \"\", \"\"\n)",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Cloud {{ $labels.cloud }} lost {{ $value | humanizePercentage }} of its servers.",
              "description": "Cloud {{ $labels.cloud }} has {{ $value | humanizePercentage }} fewer servers than it had {{- with printf `max_over_time(cloud:cloud_servers_live:sum{cloud=%q}[25h])` $labels.cloud | query }} ({{ . | first | value | humanize }}){{ end }} within the last day; {{ if eq $labels.what \"recycled\" }}they are in the recycle bin. First stop whoever deletes, then restore them before the bin is emptied (3 days by default). {{ else }}they are gone, and not in the recycle bin. First see in the platform's operation log whether they were deleted, or whether the exporter's account sees less than before.{{ end }}",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudServersLost"
            }
          },
          {
            "alert": "CloudServersLost",
            "expr": "label_replace(\n  cloud:cloud_servers_lost:ratio1d >= scalar(max(cloud:threshold_override:lost_critical_ratio) or max(cloud:threshold:lost_critical_ratio))\n  and\n  max_over_time(cloud:cloud_servers_lost:ratio1h[25h]) >= scalar(max(cloud:threshold_override:lost_critical_ratio) or max(cloud:threshold:lost_critical_ratio))\n  and (\n    cloud:cloud_servers_pending_deletion:sum - min_over_time(cloud:cloud_servers_pending_deletion:sum[25h])\n    > scalar(max(cloud:threshold_override:recycled_ratio) or max(cloud:threshold:recycled_ratio)) * (max_over_time(cloud:cloud_servers_live:sum[25h]) - cloud:cloud_servers_live:sum)\n  ),\n  \"what\", \"recycled\", \"\", \"\"\n) or on (cloud) label_replace(\n  cloud:cloud_servers_lost:ratio1d >= scalar(max(cloud:threshold_override:lost_critical_ratio) or max(cloud:threshold:lost_critical_ratio))\n  and\n  max_over_time(cloud:cloud_servers_lost:ratio1h[25h]) >= scalar(max(cloud:threshold_override:lost_critical_ratio) or max(cloud:threshold:lost_critical_ratio)),\n  \"what\", \"vanished\", \"\", \"\"\n)",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Cloud {{ $labels.cloud }} lost {{ $value | humanizePercentage }} of its servers.",
              "description": "Cloud {{ $labels.cloud }} has {{ $value | humanizePercentage }} fewer servers than it had {{- with printf `max_over_time(cloud:cloud_servers_live:sum{cloud=%q}[25h])` $labels.cloud | query }} ({{ . | first | value | humanize }}){{ end }} within the last day; {{ if eq $labels.what \"recycled\" }}they are in the recycle bin. First stop whoever deletes, then restore them before the bin is emptied (3 days by default). {{ else }}they are gone, and not in the recycle bin. First see in the platform's operation log whether they were deleted, or whether the exporter's account sees less than before.{{ end }}",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudServersLost"
            }
          },
          {
            "alert": "CloudServersStopped",
            "expr": "cloud:cloud_servers_stopped:sum - last_over_time(cloud:cloud_servers_stopped:sum[6h] offset 1h) >= scalar(max(cloud:threshold_override:stopped_ratio) or max(cloud:threshold:stopped_ratio)) * clamp_min(\n  last_over_time(cloud:cloud_servers_running:sum[6h] offset 1h),\n  scalar(max(cloud:threshold_override:loss_servers) or max(cloud:threshold:loss_servers))\n) and cloud:cloud_servers_running:sum <= (1 - scalar(max(cloud:threshold_override:stopped_ratio) or max(cloud:threshold:stopped_ratio))) * last_over_time(cloud:cloud_servers_running:sum[6h] offset 1h)",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Many servers of cloud {{ $labels.cloud }} stopped at once.",
              "description": "{{ $value | humanize }} servers of cloud {{ $labels.cloud }} stopped within an hour {{- with printf `last_over_time(cloud:cloud_servers_running:sum{cloud=%q}[6h] offset 1h)` $labels.cloud | query }}, of {{ . | first | value | humanize }} that ran{{ end }}. First see in the platform's operation log who stopped them. If they are switched off every night, silence this for the cloud at that time.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudServersStopped"
            }
          },
          {
            "alert": "CloudServersExpiring",
            "expr": "sum by (cloud, project_domain, project, billing_type, within) (\n  max without (job, instance, pod) (\n    cloud_servers_expiring{job=~\"cloud-platform-exporter.*\", within=\"30d\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) > 0",
            "for": "1h",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "info",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Servers of project {{ $labels.project }} in cloud {{ $labels.cloud }} end within {{ $labels.within }}.",
              "description": "{{ $value | humanize }} {{ with $labels.billing_type }}{{ . }} {{ end }}servers of project {{ $labels.project }} (domain {{ $labels.project_domain }}) in cloud {{ $labels.cloud }} end within {{ $labels.within }} and have no auto-renewal. First ask their project whether to renew them; the board Lifecycle has their names.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudServersExpiring"
            }
          },
          {
            "alert": "CloudServersExpiring",
            "expr": "sum by (cloud, project_domain, project, billing_type, within) (\n  max without (job, instance, pod) (\n    cloud_servers_expiring{job=~\"cloud-platform-exporter.*\", within=\"7d\", billing_type!=\"postpaid\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) > 0",
            "for": "1h",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Servers of project {{ $labels.project }} in cloud {{ $labels.cloud }} end within {{ $labels.within }}.",
              "description": "{{ $value | humanize }} {{ with $labels.billing_type }}{{ . }} {{ end }}servers of project {{ $labels.project }} (domain {{ $labels.project_domain }}) in cloud {{ $labels.cloud }} end within {{ $labels.within }} and have no auto-renewal. First ask their project whether to renew them; the board Lifecycle has their names.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudServersExpiring"
            }
          },
          {
            "alert": "CloudHostDown",
            "expr": "cloud_host:cloud_host_servers_due:sum > 0 and on (cloud, region, zone, host) sum by (cloud, region, zone, host) (\n  max by (cloud, region, zone, host, state) (\n    cloud_host_servers{job=~\"cloud-platform-exporter.*\", state!=\"pending_deletion\", host!=\"\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) > 0 and on (cloud, region, zone, host) max by (cloud, region, zone, host) (\n  cloud_host_up{job=~\"cloud-platform-exporter.*\", host!=\"\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) == 0 unless on (cloud, region, zone, host) cloud_host:cloud_host_planned:max == 1 or count by (cloud, region, zone, host) (\n  max by (cloud, id, region, zone, host) (\n    cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"host_down\", host!=\"\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n  unless on (cloud)\n  cloud_host_up{job=~\"cloud-platform-exporter.*\"}\n)",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Host {{ $labels.host }} of cloud {{ $labels.cloud }} is down, with {{ $value }} servers that should run.",
              "description": "Host {{ $labels.host }} in zone {{ $labels.zone }} of cloud {{ $labels.cloud }} is offline, and {{ $value }} servers on it should run {{- with printf `max(cloud_host_enabled{cloud=%q, zone=%q, host=%q}) == 1` $labels.cloud $labels.zone $labels.host | query }}; it is enabled, and not in maintenance{{ end }}. First ping the host and look at its console and at the platform's agent on it; then bring it back, or evacuate its servers.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudHostDown"
            }
          },
          {
            "alert": "CloudHostDown",
            "expr": "max by (cloud, region, zone, host) (\n  cloud_host_up{job=~\"cloud-platform-exporter.*\", host!=\"\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) == 0 unless on (cloud, region, zone, host) (\n  cloud_host:cloud_host_servers_due:sum > 0\n  and on (cloud, region, zone, host)\n  sum by (cloud, region, zone, host) (\n    max by (cloud, region, zone, host, state) (\n      cloud_host_servers{job=~\"cloud-platform-exporter.*\", state!=\"pending_deletion\", host!=\"\"}\n      unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n    )\n  ) > 0\n) unless on (cloud, region, zone, host) cloud_host:cloud_host_planned:max == 1",
            "for": "30m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Host {{ $labels.host }} of cloud {{ $labels.cloud }} is down; no server on it should run.",
              "description": "Host {{ $labels.host }} in zone {{ $labels.zone }} of cloud {{ $labels.cloud }} is offline; it has no servers, or only stopped or failed ones. First ping the host and look at its console; if work on it is planned, disable it on the platform.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudHostDown"
            }
          },
          {
            "alert": "CloudHostFlapping",
            "expr": "max by (cloud, region, zone, host) (changes(cloud_host_up{job=~\"cloud-platform-exporter.*\", host!=\"\"}[30m])) >= scalar(max(cloud:threshold_override:host_changes) or max(cloud:threshold:host_changes)) unless on (cloud, region, zone, host) cloud_host:cloud_host_planned:max == 1",
            "for": "1m",
            "keep_firing_for": "30m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Host {{ $labels.host }} of cloud {{ $labels.cloud }} goes down and up again and again.",
              "description": "Host {{ $labels.host }} in zone {{ $labels.zone }} of cloud {{ $labels.cloud }} changed between up and down {{ $value }} times within half an hour. First look at its network and at the platform's agent on it; disable it until it is steady.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudHostFlapping"
            }
          },
          {
            "alert": "CloudHostNotRunning",
            "expr": "(\n  sum by (cloud, region, zone, host) (\n    max by (cloud, region, zone, host, state) (\n      cloud_host_servers{job=~\"cloud-platform-exporter.*\", state=~\"failed|unknown|transition\", host!=\"\"}\n      unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n    )\n  )\n  >= scalar(max(cloud:threshold_override:host_not_running_servers) or max(cloud:threshold:host_not_running_servers))\n) > scalar(max(cloud:threshold_override:host_not_running_ratio) or max(cloud:threshold:host_not_running_ratio)) * sum by (cloud, region, zone, host) (\n  max by (cloud, region, zone, host, state) (\n    cloud_host_servers{job=~\"cloud-platform-exporter.*\", state!~\"stopped|pending_deletion\", host!=\"\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) unless on (cloud, region, zone, host) cloud_host:cloud_host_planned:max == 1",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Most servers on host {{ $labels.host }} of cloud {{ $labels.cloud }} do not run.",
              "description": "{{ $value }} servers on host {{ $labels.host }} in zone {{ $labels.zone }} of cloud {{ $labels.cloud }}, most of those there, are failed, unknown or in transition though nobody stopped them. First look at the host's storage and network, and whether it was rebooted.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudHostNotRunning"
            }
          },
          {
            "alert": "CloudZoneNotRunning",
            "expr": "(\n  sum by (cloud, region, zone) (\n    max without (job, instance, pod) (\n      cloud_servers{job=~\"cloud-platform-exporter.*\", state=~\"failed|unknown|transition\", zone!=\"\"}\n      unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n    )\n  )\n  >= scalar(max(cloud:threshold_override:zone_not_running_servers) or max(cloud:threshold:zone_not_running_servers))\n) > scalar(max(cloud:threshold_override:zone_not_running_ratio) or max(cloud:threshold:zone_not_running_ratio)) * sum by (cloud, region, zone) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\", state!~\"stopped|pending_deletion\", zone!=\"\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Most servers in zone {{ $labels.zone }} of cloud {{ $labels.cloud }} do not run.",
              "description": "{{ $value }} servers in zone {{ $labels.zone }} of region {{ $labels.region }} in cloud {{ $labels.cloud }}, most of those there, are failed, unknown or in transition though nobody stopped them. First look at power, network and storage of the zone; its hosts and servers are not told one by one meanwhile.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudZoneNotRunning"
            }
          }
        ]
      },
      {
        "name": "cloud-platform-exporter.room",
        "rules": [
          {
            "alert": "CloudZoneNearlyFull",
            "expr": "(\n  label_replace(cloud_zone:cloud_host_vcpus:free / cloud_zone:cloud_host_vcpus:allocatable, \"resource\", \"vcpus\", \"\", \"\")\n  or\n  label_replace(cloud_zone:cloud_host_memory_bytes:free / cloud_zone:cloud_host_memory_bytes:allocatable, \"resource\", \"memory\", \"\", \"\")\n  or\n  label_replace(cloud_zone:cloud_storage_bytes:free / cloud_zone:cloud_storage_bytes:allocatable, \"resource\", \"storage\", \"\", \"\")\n) < scalar(max(cloud:threshold_override:room_left_ratio) or max(cloud:threshold:room_left_ratio))",
            "for": "30m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Zone {{ $labels.zone }} of cloud {{ $labels.cloud }} is nearly full: {{ $labels.resource }}.",
              "description": "Zone {{ $labels.zone }} of region {{ $labels.region }} in cloud {{ $labels.cloud }} has only {{ $value | humanizePercentage }} left of the {{ $labels.resource }} that it may promise to servers. First see on the board Host which hosts or storages are down or disabled, then which projects grew.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudZoneNearlyFull"
            }
          },
          {
            "alert": "CloudZoneNearlyFull",
            "expr": "label_replace(\n  sum by (cloud, region, zone, model) (cloud_zone:cloud_host_devices:free{dev_type=~\".*GPU.*|NPU\"}) == 0\n  and on (cloud, region, zone, model)\n  sum by (cloud, region, zone, model) (cloud_zone:cloud_host_devices:sum{dev_type=~\".*GPU.*|NPU\"}) > 0,\n  \"resource\", \"gpu\", \"\", \"\"\n)",
            "for": "30m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "info",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Zone {{ $labels.zone }} of cloud {{ $labels.cloud }} has no {{ $labels.model }} left.",
              "description": "Servers have every {{ $labels.model }} in zone {{ $labels.zone }} of region {{ $labels.region }} in cloud {{ $labels.cloud }}. First see on the board GPU which of them are held by stopped servers.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudZoneNearlyFull"
            }
          },
          {
            "alert": "CloudZoneFullWithoutHost",
            "expr": "-1 * (\n  label_replace(cloud_zone:cloud_host_vcpus:spare, \"resource\", \"vcpus\", \"\", \"\")\n  or\n  label_replace(cloud_zone:cloud_host_memory_bytes:spare, \"resource\", \"memory\", \"\", \"\")\n) > 0 and on (cloud, region, zone) count by (cloud, region, zone) (cloud_host:cloud_host_vcpus:free) >= scalar(max(cloud:threshold_override:spare_hosts) or max(cloud:threshold:spare_hosts))",
            "for": "1h",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Zone {{ $labels.zone }} of cloud {{ $labels.cloud }} could not bear the loss of a host: {{ $labels.resource }}.",
              "description": "If the largest host in use in zone {{ $labels.zone }} of region {{ $labels.region }} in cloud {{ $labels.cloud }} died, its servers would not fit elsewhere: {{ if eq $labels.resource \"vcpus\" }}{{ $value | humanize }} vCPUs{{ else }}{{ $value | humanize1024 }}B of memory{{ end }} would be missing. First see on the board Host where room can be made: add a host, or move servers to another zone.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudZoneFullWithoutHost"
            }
          },
          {
            "alert": "CloudStorageFilling",
            "expr": "max by (cloud, region, zone, storage, storage_type, medium_type) (\n  cloud_storage_used_bytes{job=~\"cloud-platform-exporter.*\"}\n  / cloud_storage_capacity_bytes{job=~\"cloud-platform-exporter.*\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) > scalar(max(cloud:threshold_override:storage_used_ratio) or max(cloud:threshold:storage_used_ratio))",
            "for": "30m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Storage {{ $labels.storage }} of cloud {{ $labels.cloud }} is {{ $value | humanizePercentage }} full.",
              "description": "Storage {{ $labels.storage }}{{ with $labels.zone }} in zone {{ . }}{{ end }} of cloud {{ $labels.cloud }} has {{ $value | humanizePercentage }} of its space really written. When it is full, every server with a disk there stops. First free space: empty the recycle bin, delete old snapshots, move disks; then add storage.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudStorageFilling"
            }
          }
        ]
      },
      {
        "name": "cloud-platform-exporter.growth",
        "interval": "1h",
        "rules": [
          {
            "alert": "CloudZoneFullSoon",
            "expr": "last_over_time(cloud_zone:room:free1h[2h]) > 0 and predict_linear(cloud_zone:room:free1h[7d], scalar(max(cloud:threshold_override:full_within_seconds) or max(cloud:threshold:full_within_seconds))) < 0 and predict_linear(cloud_zone:room:free1h[7d] offset 7d, scalar(max(cloud:threshold_override:full_within_seconds) or max(cloud:threshold:full_within_seconds))) < 0 and last_over_time(cloud_zone:room:free1h[1d] offset 13d)",
            "for": "6h",
            "labels": {
              "severity": "info",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Zone {{ $labels.zone }} of cloud {{ $labels.cloud }} will be full soon: {{ $labels.resource }}.",
              "description": "Zone {{ $labels.zone }} of region {{ $labels.region }} in cloud {{ $labels.cloud }} has {{ if eq $labels.resource \"vcpus\" }}{{ $value | humanize }} vCPUs{{ else }}{{ $value | humanize1024 }}B of {{ $labels.resource }}{{ end }} left, and at the pace of each of the last two weeks none in another 14 days. First see on the board Growth which projects grow, and order hardware in time.",
              "runbook_url": "{{ with query \"cloud_exporter_external_url_info\" | sortByLabel \"url\" }}{{ . | first | label \"url\" | reReplaceAll \"/+$\" \"\" }}{{ else }}{{ with query \"cloud_exporter_build_info\" | sortByLabel \"instance\" }}http://{{ . | first | label \"instance\" }}{{ end }}{{ end }}/runbook#CloudZoneFullSoon"
            }
          }
        ]
      }
    ]
  },
  "recording.yml": {
    "groups": [
      {
        "name": "cloud-platform-exporter.recording",
        "rules": [
          {
            "record": "cloud_instance:cloud_snapshot:outdated",
            "expr": "max by (cloud, job, instance) (cloud_snapshot_timestamp_seconds{job=~\"cloud-platform-exporter.*\"}) < on (cloud) group_left () max by (cloud) (cloud_snapshot_timestamp_seconds{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_instance:cloud_up:max",
            "expr": "0 * max by (cloud, job, instance) (cloud_up{job=~\"cloud-platform-exporter.*\"}) + on (cloud) group_left () max by (cloud) (cloud_up{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_instance:cloud_up:last",
            "expr": "max by (cloud, job, instance) (cloud_up{job=~\"cloud-platform-exporter.*\"}) or last_over_time(cloud_instance:cloud_up:last[6h]) and on (job, instance) up{job=~\"cloud-platform-exporter.*\"} == 0"
          },
          {
            "record": "cloud:cloud_last_success_timestamp_seconds:max",
            "expr": "max by (cloud) (cloud_last_success_timestamp_seconds{job=~\"cloud-platform-exporter.*\"} > 0) or last_over_time(cloud:cloud_last_success_timestamp_seconds:max[1h]) and on (cloud) cloud_last_success_timestamp_seconds{job=~\"cloud-platform-exporter.*\"}"
          },
          {
            "record": "job:cloud_down:ratio",
            "expr": "1 - (\n  avg by (job) (max by (job, cloud) (cloud_instance:cloud_up:max))\n  < 1 - scalar(max(cloud:threshold_override:storm_ratio) or max(cloud:threshold:storm_ratio))\n  and\n  count by (job) (max by (job, cloud) (cloud_instance:cloud_up:max))\n  >= scalar(max(cloud:threshold_override:storm_clouds) or max(cloud:threshold:storm_clouds))\n) or 1 - (\n  avg by (job, instance) (cloud_instance:cloud_up:max)\n  < 1 - scalar(max(cloud:threshold_override:storm_ratio) or max(cloud:threshold:storm_ratio))\n  and\n  count by (job, instance) (cloud_instance:cloud_up:max)\n  >= scalar(max(cloud:threshold_override:storm_clouds) or max(cloud:threshold:storm_clouds))\n) unless on (job) (\n  avg by (job) (max by (job, cloud) (cloud_instance:cloud_up:max))\n  < 1 - scalar(max(cloud:threshold_override:storm_ratio) or max(cloud:threshold:storm_ratio))\n  and\n  count by (job) (max by (job, cloud) (cloud_instance:cloud_up:max))\n  >= scalar(max(cloud:threshold_override:storm_clouds) or max(cloud:threshold:storm_clouds))\n)"
          },
          {
            "record": "cloud:cloud_servers:sum",
            "expr": "sum by (cloud) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) or 0 * max by (cloud) (cloud_snapshot_timestamp_seconds{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud:cloud_servers_live:sum",
            "expr": "sum by (cloud) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\", state!=\"pending_deletion\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) or 0 * max by (cloud) (cloud_snapshot_timestamp_seconds{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud:cloud_servers_running:sum",
            "expr": "sum by (cloud) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\", state=\"running\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) or 0 * max by (cloud) (cloud_snapshot_timestamp_seconds{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud:cloud_servers_stopped:sum",
            "expr": "sum by (cloud) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\", state=\"stopped\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) or 0 * max by (cloud) (cloud_snapshot_timestamp_seconds{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud:cloud_servers_failed:sum",
            "expr": "sum by (cloud) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\", state=\"failed\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) or 0 * max by (cloud) (cloud_snapshot_timestamp_seconds{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud:cloud_servers_pending_deletion:sum",
            "expr": "sum by (cloud) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\", state=\"pending_deletion\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) or 0 * max by (cloud) (cloud_snapshot_timestamp_seconds{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud:cloud_servers_lost:ratio1h",
            "expr": "(last_over_time(cloud:cloud_servers_live:sum[6h] offset 1h) - cloud:cloud_servers_live:sum) / clamp_min(\n  last_over_time(cloud:cloud_servers_live:sum[6h] offset 1h),\n  scalar(max(cloud:threshold_override:loss_servers) or max(cloud:threshold:loss_servers))\n)"
          },
          {
            "record": "cloud:cloud_servers_lost:ratio1d",
            "expr": "(max_over_time(cloud:cloud_servers_live:sum[25h]) - cloud:cloud_servers_live:sum) / clamp_min(\n  max_over_time(cloud:cloud_servers_live:sum[25h]),\n  scalar(max(cloud:threshold_override:loss_servers) or max(cloud:threshold:loss_servers))\n)"
          },
          {
            "record": "cloud_state:cloud_servers:sum",
            "expr": "sum by (cloud, state) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_hypervisor_state:cloud_servers:sum",
            "expr": "sum by (cloud, hypervisor, state) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_zone_state:cloud_servers:sum",
            "expr": "sum by (cloud, region, zone, state) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_project_state:cloud_servers:sum",
            "expr": "sum by (cloud, project_domain, project, state) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud:cloud_servers_vcpus:sum",
            "expr": "sum by (cloud) (\n  max without (job, instance, pod) (\n    cloud_servers_vcpus{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_zone:cloud_servers:sum",
            "expr": "sum by (cloud, region, zone) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_zone:cloud_servers_vcpus:sum",
            "expr": "sum by (cloud, region, zone) (\n  max without (job, instance, pod) (\n    cloud_servers_vcpus{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_zone:cloud_servers_memory_bytes:sum",
            "expr": "sum by (cloud, region, zone) (\n  max without (job, instance, pod) (\n    cloud_servers_memory_bytes{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_zone:cloud_servers_disk_bytes:sum",
            "expr": "sum by (cloud, region, zone) (\n  max without (job, instance, pod) (\n    cloud_servers_disk_bytes{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_project:cloud_servers:sum",
            "expr": "sum by (cloud, project_domain, project) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_project:cloud_servers_vcpus:sum",
            "expr": "sum by (cloud, project_domain, project) (\n  max without (job, instance, pod) (\n    cloud_servers_vcpus{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_project:cloud_servers_memory_bytes:sum",
            "expr": "sum by (cloud, project_domain, project) (\n  max without (job, instance, pod) (\n    cloud_servers_memory_bytes{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_project:cloud_servers_disk_bytes:sum",
            "expr": "sum by (cloud, project_domain, project) (\n  max without (job, instance, pod) (\n    cloud_servers_disk_bytes{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_model:cloud_servers_devices:sum",
            "expr": "sum by (cloud, dev_type, model) (\n  max without (job, instance, pod) (\n    cloud_servers_devices{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_zone_project_state_model:cloud_servers_devices:sum",
            "expr": "sum by (cloud, region, zone, project_domain, project, state, dev_type, model) (\n  max without (job, instance, pod) (\n    cloud_servers_devices{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          }
        ]
      },
      {
        "name": "cloud-platform-exporter.capacity",
        "rules": [
          {
            "record": "cloud_host:cloud_host_vcpus:free",
            "expr": "clamp_min(\n  max by (cloud, region, zone, host, hypervisor) (\n    cloud_host_vcpus_allocatable{job=~\"cloud-platform-exporter.*\"}\n    - cloud_host_vcpus_allocated{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  ),\n  0\n) and on (cloud, region, zone, host) max by (cloud, region, zone, host) (\n  cloud_host_schedulable{job=~\"cloud-platform-exporter.*\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) == 1"
          },
          {
            "record": "cloud_zone:cloud_host_vcpus:free",
            "expr": "sum by (cloud, region, zone) (cloud_host:cloud_host_vcpus:free)"
          },
          {
            "record": "cloud_zone:cloud_host_vcpus:allocatable",
            "expr": "sum by (cloud, region, zone) (\n  max by (cloud, region, zone, host) (\n    cloud_host_vcpus_allocatable{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n  and on (cloud, region, zone, host)\n  cloud_host:cloud_host_vcpus:free\n)"
          },
          {
            "record": "cloud_zone:cloud_host_vcpus:spare",
            "expr": "cloud_zone:cloud_host_vcpus:free - on (cloud, region, zone) max by (cloud, region, zone) (\n  cloud_host:cloud_host_vcpus:free\n  + on (cloud, region, zone, host)\n  max by (cloud, region, zone, host) (\n    cloud_host_vcpus_allocated{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_host:cloud_host_memory_bytes:free",
            "expr": "clamp_min(\n  max by (cloud, region, zone, host, hypervisor) (\n    cloud_host_memory_allocatable_bytes{job=~\"cloud-platform-exporter.*\"}\n    - cloud_host_memory_allocated_bytes{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  ),\n  0\n) and on (cloud, region, zone, host) max by (cloud, region, zone, host) (\n  cloud_host_schedulable{job=~\"cloud-platform-exporter.*\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) == 1"
          },
          {
            "record": "cloud_zone:cloud_host_memory_bytes:free",
            "expr": "sum by (cloud, region, zone) (cloud_host:cloud_host_memory_bytes:free)"
          },
          {
            "record": "cloud_zone:cloud_host_memory_bytes:allocatable",
            "expr": "sum by (cloud, region, zone) (\n  max by (cloud, region, zone, host) (\n    cloud_host_memory_allocatable_bytes{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n  and on (cloud, region, zone, host)\n  cloud_host:cloud_host_memory_bytes:free\n)"
          },
          {
            "record": "cloud_zone:cloud_host_memory_bytes:spare",
            "expr": "cloud_zone:cloud_host_memory_bytes:free - on (cloud, region, zone) max by (cloud, region, zone) (\n  cloud_host:cloud_host_memory_bytes:free\n  + on (cloud, region, zone, host)\n  max by (cloud, region, zone, host) (\n    cloud_host_memory_allocated_bytes{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_zone:cloud_storage_bytes:free",
            "expr": "sum by (cloud, region, zone) (\n  max by (cloud, region, zone, storage, storage_type, medium_type) (\n    clamp_min(\n    cloud_storage_allocatable_bytes{job=~\"cloud-platform-exporter.*\"}\n    - cloud_storage_allocated_bytes{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated,\n    0\n  )\n  )\n  and on (cloud, region, zone, storage, storage_type, medium_type)\n  max by (cloud, region, zone, storage, storage_type, medium_type) (\n    cloud_storage_up{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  ) == 1\n)"
          },
          {
            "record": "cloud_zone:cloud_storage_bytes:allocatable",
            "expr": "sum by (cloud, region, zone) (\n  max by (cloud, region, zone, storage, storage_type, medium_type) (\n    cloud_storage_allocatable_bytes{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n  and on (cloud, region, zone, storage, storage_type, medium_type)\n  max by (cloud, region, zone, storage, storage_type, medium_type) (\n    cloud_storage_up{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  ) == 1\n)"
          },
          {
            "record": "cloud_zone:cloud_host_devices:free",
            "expr": "sum by (cloud, region, zone, dev_type, model) (\n  max by (cloud, region, zone, host, dev_type, model) (\n    cloud_host_devices_free{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_zone:cloud_host_devices:sum",
            "expr": "sum by (cloud, region, zone, dev_type, model) (\n  max by (cloud, region, zone, host, dev_type, model) (\n    cloud_host_devices{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_host:cloud_host_planned:max",
            "expr": "max by (cloud, region, zone, host) (\n  (\n    label_replace(cloud_host_maintenance{job=~\"cloud-platform-exporter.*\"}, \"why\", \"maintenance\", \"\", \"\")\n    or\n    label_replace(cloud_host_enabled{job=~\"cloud-platform-exporter.*\"} == bool 0, \"why\", \"disabled\", \"\", \"\")\n  )\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) or last_over_time(cloud_host:cloud_host_planned:max[1h]) and on (cloud, region, zone, host) cloud_host_up{job=~\"cloud-platform-exporter.*\"}"
          },
          {
            "record": "cloud_host:cloud_host_servers_due:sum",
            "expr": "last_over_time(cloud_host:cloud_host_servers_due:sum[1h]) and on (cloud, region, zone, host) max by (cloud, region, zone, host) (\n  cloud_host_up{job=~\"cloud-platform-exporter.*\", host!=\"\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) == 0 or sum by (cloud, region, zone, host) (\n  max by (cloud, region, zone, host, state) (\n    cloud_host_servers{job=~\"cloud-platform-exporter.*\", state=~\"running|unknown|transition\", host!=\"\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) or 0 * max by (cloud, region, zone, host) (\n  cloud_host_up{job=~\"cloud-platform-exporter.*\", host!=\"\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n)"
          }
        ]
      },
      {
        "name": "cloud-platform-exporter.hourly",
        "interval": "1h",
        "rules": [
          {
            "record": "cloud_zone:room:free1h",
            "expr": "label_replace(cloud_zone:cloud_host_vcpus:free, \"resource\", \"vcpus\", \"\", \"\") or label_replace(cloud_zone:cloud_host_memory_bytes:free, \"resource\", \"memory\", \"\", \"\") or label_replace(cloud_zone:cloud_storage_bytes:free, \"resource\", \"storage\", \"\", \"\")"
          }
        ]
      }
    ]
  },
  "thresholds.yml": {
    "groups": [
      {
        "name": "cloud-platform-exporter.thresholds",
        "rules": [
          {
            "record": "cloud:threshold:unsteady_changes",
            "expr": "vector(6)"
          },
          {
            "record": "cloud:threshold:storm_ratio",
            "expr": "vector(0.5)"
          },
          {
            "record": "cloud:threshold:storm_clouds",
            "expr": "vector(3)"
          },
          {
            "record": "cloud:threshold:storm_seconds",
            "expr": "vector(1800)"
          },
          {
            "record": "cloud:threshold:login_refusals",
            "expr": "vector(2)"
          },
          {
            "record": "cloud:threshold:token_dead_seconds",
            "expr": "vector(600)"
          },
          {
            "record": "cloud:threshold:password_left_seconds",
            "expr": "vector(1209600)"
          },
          {
            "record": "cloud:threshold:password_left_critical_seconds",
            "expr": "vector(86400)"
          },
          {
            "record": "cloud:threshold:missing_servers",
            "expr": "vector(0)"
          },
          {
            "record": "cloud:threshold:age_seconds",
            "expr": "vector(300)"
          },
          {
            "record": "cloud:threshold:stale_answers",
            "expr": "vector(3)"
          },
          {
            "record": "cloud:threshold:failed_servers",
            "expr": "vector(50)"
          },
          {
            "record": "cloud:threshold:failed_ratio",
            "expr": "vector(0.05)"
          },
          {
            "record": "cloud:threshold:failed_servers_least",
            "expr": "vector(5)"
          },
          {
            "record": "cloud:threshold:loss_servers",
            "expr": "vector(20)"
          },
          {
            "record": "cloud:threshold:lost_ratio",
            "expr": "vector(0.2)"
          },
          {
            "record": "cloud:threshold:lost_critical_ratio",
            "expr": "vector(0.33)"
          },
          {
            "record": "cloud:threshold:recycled_ratio",
            "expr": "vector(0.5)"
          },
          {
            "record": "cloud:threshold:stopped_ratio",
            "expr": "vector(0.2)"
          },
          {
            "record": "cloud:threshold:host_changes",
            "expr": "vector(4)"
          },
          {
            "record": "cloud:threshold:host_not_running_servers",
            "expr": "vector(5)"
          },
          {
            "record": "cloud:threshold:host_not_running_ratio",
            "expr": "vector(0.5)"
          },
          {
            "record": "cloud:threshold:zone_not_running_servers",
            "expr": "vector(10)"
          },
          {
            "record": "cloud:threshold:zone_not_running_ratio",
            "expr": "vector(0.5)"
          },
          {
            "record": "cloud:threshold:room_left_ratio",
            "expr": "vector(0.1)"
          },
          {
            "record": "cloud:threshold:spare_hosts",
            "expr": "vector(2)"
          },
          {
            "record": "cloud:threshold:full_within_seconds",
            "expr": "vector(1209600)"
          },
          {
            "record": "cloud:threshold:storage_used_ratio",
            "expr": "vector(0.9)"
          }
        ]
      }
    ]
  }
},
  dashboards: {
    'exporter.json': import '../exporter.json',
    'fleet.json': import '../fleet.json',
    'gpu.json': import '../gpu.json',
    'growth.json': import '../growth.json',
    'host.json': import '../host.json',
    'lifecycle.json': import '../lifecycle.json',
    'project.json': import '../project.json',
  },
}
