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
            "expr": "up{job=~\"cloud-platform-exporter.*\"} == 0",
            "for": "5m",
            "labels": {
              "severity": "critical",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "The exporter can't be scraped.",
              "description": "Prometheus cannot scrape {{ $labels.instance }} (job {{ $labels.job }}) for 5 minutes or longer; nothing is known of its clouds. First read the error on Prometheus' page Status, Targets.",
              "runbook_url": "dashboards/runbook.md#cloudexporterdown"
            }
          },
          {
            "alert": "CloudExporterAbsent",
            "expr": "absent(up{job=~\"cloud-platform-exporter.*\"})",
            "for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Prometheus has no exporter to scrape.",
              "description": "Prometheus has had no target of a job that starts with cloud-platform-exporter for 10 minutes or longer; nothing is known of any cloud. First see whether the job is in Prometheus' configuration and finds its targets.",
              "runbook_url": "dashboards/runbook.md#cloudexporterabsent"
            }
          },
          {
            "alert": "CloudNotObserved",
            "expr": "max by (cloud) (last_over_time(cloud_up{job=~\"cloud-platform-exporter.*\"}[6h])) unless on (cloud) max by (cloud) (cloud_up{job=~\"cloud-platform-exporter.*\"}) unless on (cloud) max by (cloud) (\n  last_over_time(cloud_up{job=~\"cloud-platform-exporter.*\"}[6h])\n  and on (job, instance) up{job=~\"cloud-platform-exporter.*\"} == 0\n)",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "A cloud is no longer watched.",
              "description": "Cloud {{ $labels.cloud }} was exported within the last 6 hours, but for 5 minutes or longer no exporter tells of it. First see whether it was taken out of the configuration.",
              "runbook_url": "dashboards/runbook.md#cloudnotobserved"
            }
          },
          {
            "alert": "CloudNotObserved",
            "expr": "(\n  max by (cloud) (last_over_time(cloud_up{job=~\"cloud-platform-exporter.*\"}[6h]))\n  unless on (cloud)\n  max by (cloud) (cloud_up{job=~\"cloud-platform-exporter.*\"})\n) and on (cloud) max by (cloud) (\n  last_over_time(cloud_up{job=~\"cloud-platform-exporter.*\"}[6h])\n  and on (job, instance) up{job=~\"cloud-platform-exporter.*\"} == 0\n)",
            "for": "5m",
            "labels": {
              "severity": "info",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "A cloud is not watched because its exporter is down.",
              "description": "The exporter of cloud {{ $labels.cloud }} has been down for 5 minutes or longer; nothing is known of the cloud. First see to CloudExporterDown.",
              "runbook_url": "dashboards/runbook.md#cloudnotobserved"
            }
          },
          {
            "alert": "CloudExporterReloadFailed",
            "expr": "cloud_exporter_config_reload_success{job=~\"cloud-platform-exporter.*\"} == 0",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "The exporter did not accept its new configuration.",
              "description": "The latest reload of {{ $labels.instance }}, 5 minutes ago or longer, failed; it goes on with the configuration it had, but would not start with the new one. First read its log, which names every mistake.",
              "runbook_url": "dashboards/runbook.md#cloudexporterreloadfailed"
            }
          },
          {
            "alert": "CloudConfigFilesRejected",
            "expr": "max without (pod) (cloud_exporter_config_files_rejected{job=~\"cloud-platform-exporter.*\"}) > 0",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Configuration files are left out.",
              "description": "{{ $labels.instance }} has left out {{ $value | humanize }} of its configuration files for 5 minutes or longer; the clouds in them are not watched. First read its log, which names the files and their mistakes.",
              "runbook_url": "dashboards/runbook.md#cloudconfigfilesrejected"
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
              "summary": "A part of the clouds has no exporter.",
              "description": "Only {{ $value | humanize }} shards of job {{ $labels.job }} have been there for 10 minutes or longer {{- with printf \"max(cloud_exporter_total_shards{job=%q})\" $labels.job | query }}, of {{ . | first | value }} {{- end }}; the clouds of the others are not watched. First see which of the exporters is missing among Prometheus' targets.",
              "runbook_url": "dashboards/runbook.md#cloudshardmissing"
            }
          },
          {
            "alert": "CloudShardDoubled",
            "expr": "count_values by (job, namespace) (\n  \"shard\",\n  cloud_exporter_shard_ordinal{job=~\"cloud-platform-exporter.*\"}\n  and on (job, instance) cloud_exporter_total_shards{job=~\"cloud-platform-exporter.*\"} > 1\n) > 1",
            "for": "15m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Two exporters are the same shard.",
              "description": "{{ $value | humanize }} exporters of job {{ $labels.job }} have been shard {{ $labels.shard }} for 15 minutes or longer; its clouds are read twice. First compare their flag --shard.",
              "runbook_url": "dashboards/runbook.md#cloudsharddoubled"
            }
          },
          {
            "alert": "CloudShardsDisagree",
            "expr": "max by (job, namespace) (cloud_exporter_total_shards{job=~\"cloud-platform-exporter.*\"}) > min by (job, namespace) (cloud_exporter_total_shards{job=~\"cloud-platform-exporter.*\"})",
            "for": "15m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "Exporters disagree about the number of shards.",
              "description": "Some exporters of job {{ $labels.job }} take themselves for one of {{ $value | humanize }} shards, others for one of fewer, for 15 minutes or longer; a cloud may be read twice or not at all. First compare their flag --total-shards.",
              "runbook_url": "dashboards/runbook.md#cloudshardsdisagree"
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
              "summary": "The series limit leaves out a part of a cloud.",
              "description": "series_limit of cloud {{ $labels.cloud }} has left out {{ $value | humanize }} series for 15 minutes or longer. First see whether per_server or an extra label makes so many.",
              "runbook_url": "dashboards/runbook.md#cloudserieslimithit"
            }
          },
          {
            "alert": "CloudProblemLimitHit",
            "expr": "sum by (cloud) (max by (cloud, problem) (cloud_server_problems{job=~\"cloud-platform-exporter.*\"})) > on (cloud) count by (cloud) (max by (cloud, id, problem) (cloud_server_problem{job=~\"cloud-platform-exporter.*\"}))",
            "for": "15m",
            "labels": {
              "severity": "info",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "More servers have problems than are named.",
              "description": "Cloud {{ $labels.cloud }} has had {{ $value | humanize }} problems of servers for 15 minutes or longer, more than problem_limit names; alerts about single servers know only those. First look for the large cause.",
              "runbook_url": "dashboards/runbook.md#cloudproblemlimithit"
            }
          },
          {
            "alert": "CloudThresholdsMissing",
            "expr": "absent(cloud:threshold:failed_servers)",
            "for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "The alerts have no thresholds.",
              "description": "The rule file thresholds.yml, without which cloud alerts never fire, has not been evaluated for 10 minutes or longer. First see whether Prometheus loads it beside alerts.yml.",
              "runbook_url": "dashboards/runbook.md#cloudthresholdsmissing"
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
              "summary": "A cloud can't be read.",
              "description": "Collections of cloud {{ $labels.cloud }} fail {{- with printf \"topk(1, sum by (reason) (increase(cloud_exporter_collection_failures_total{cloud=%q}[15m])) > 0)\" $labels.cloud | query }}, most often as {{ . | first | label \"reason\" }} {{- end }} {{- with printf \"max(max_over_time(cloud_last_success_timestamp_seconds{cloud=%q}[1d])) > 0\" $labels.cloud | query }}; the latest good one ended at {{ . | first | value | humanizeTimestamp }} {{- end }}. Its servers are not known until this ends. First read the exporter's log, which has the reason and the cure.",
              "runbook_url": "dashboards/runbook.md#clouddown"
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
              "summary": "A cloud can't be read.",
              "description": "Collections of cloud {{ $labels.cloud }} fail {{- with printf \"topk(1, sum by (reason) (increase(cloud_exporter_collection_failures_total{cloud=%q}[15m])) > 0)\" $labels.cloud | query }}, most often as {{ . | first | label \"reason\" }} {{- end }} {{- with printf \"max(max_over_time(cloud_last_success_timestamp_seconds{cloud=%q}[1d])) > 0\" $labels.cloud | query }}; the latest good one ended at {{ . | first | value | humanizeTimestamp }} {{- end }}. Its servers are not known until this ends. First read the exporter's log, which has the reason and the cure.",
              "runbook_url": "dashboards/runbook.md#clouddown"
            }
          },
          {
            "alert": "CloudUnsteady",
            "expr": "max by (cloud) (changes(cloud_up{job=~\"cloud-platform-exporter.*\"}[1h])) >= scalar(max(cloud:threshold_override:unsteady_changes) or max(cloud:threshold:unsteady_changes))",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "A cloud can be read only now and then.",
              "description": "Collections of cloud {{ $labels.cloud }} went from good to bad or back {{ $value | humanize }} times within an hour. First look at the reasons on the board Exporter.",
              "runbook_url": "dashboards/runbook.md#cloudunsteady"
            }
          },
          {
            "alert": "CloudLoginRefused",
            "expr": "max by (cloud, reason) (\n  increase(\n    cloud_exporter_login_failures_total{job=~\"cloud-platform-exporter.*\", reason=~\"unauthorized|forbidden|throttled|rejected|secret\"}[30m]\n  )\n) >= scalar(max(cloud:threshold_override:login_refusals) or max(cloud:threshold:login_refusals))",
            "for": "1m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The platform refuses the exporter's login.",
              "description": "Logins to cloud {{ $labels.cloud }} were refused as {{ $labels.reason }} about {{ $value | printf \"%.0f\" }} times within half an hour; the cloud goes down when the token that is still held ends. First log in to the platform with the same account.",
              "runbook_url": "dashboards/runbook.md#cloudloginrefused"
            }
          },
          {
            "alert": "CloudTokenNotRenewed",
            "expr": "min by (cloud) (\n  cloud_token_expiry_timestamp_seconds{job=~\"cloud-platform-exporter.*\"}\n  - timestamp(cloud_token_expiry_timestamp_seconds{job=~\"cloud-platform-exporter.*\"})\n) < scalar(max(cloud:threshold_override:token_left_seconds) or max(cloud:threshold:token_left_seconds))",
            "for": "1m",
            "keep_firing_for": "15m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The exporter's token ends and was not renewed.",
              "description": "At the latest scrape the token for cloud {{ $labels.cloud }} {{ if lt $value 0.0 }}had ended{{ else }}had {{ $value | humanizeDuration }} left{{ end }}; it should have been renewed before that. First look for refused logins in the exporter's log.",
              "runbook_url": "dashboards/runbook.md#cloudtokennotrenewed"
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
              "summary": "The password of the exporter's own account ends soon.",
              "description": "The password with which the exporter logs in to cloud {{ $labels.cloud }} ends in {{ $value | humanizeDuration }}. First set a new one on the platform and in the exporter's secret.",
              "runbook_url": "dashboards/runbook.md#cloudpasswordexpiring"
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
              "summary": "The password of the exporter's own account ends soon.",
              "description": "The password with which the exporter logs in to cloud {{ $labels.cloud }} ends in {{ $value | humanizeDuration }}. First set a new one on the platform and in the exporter's secret.",
              "runbook_url": "dashboards/runbook.md#cloudpasswordexpiring"
            }
          },
          {
            "alert": "CloudListIncomplete",
            "expr": "max by (cloud) (\n  cloud_list_reported{job=~\"cloud-platform-exporter.*\"}\n  - cloud_list_received{job=~\"cloud-platform-exporter.*\"}\n  - sum without (reason) (cloud_list_rejected{job=~\"cloud-platform-exporter.*\"})\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) > scalar(max(cloud:threshold_override:missing_servers) or max(cloud:threshold:missing_servers))",
            "for": "30m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "Fewer servers arrive than the platform says it has.",
              "description": "{{ $value | humanize }} servers of cloud {{ $labels.cloud }} have been missing from its list for 30 minutes or longer. First list them by hand and compare with the total.",
              "runbook_url": "dashboards/runbook.md#cloudlistincomplete"
            }
          },
          {
            "alert": "CloudListDrift",
            "expr": "max by (cloud) (increase(cloud_list_drift_total{job=~\"cloud-platform-exporter.*\"}[1h])) > scalar(max(cloud:threshold_override:drifted_servers) or max(cloud:threshold:drifted_servers))",
            "for": "1m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "Lists of changes missed something.",
              "description": "Within an hour about {{ $value | printf \"%.0f\" }} servers of cloud {{ $labels.cloud }} turned out to be otherwise than the lists of changes had told; whole lists are read for the next hour. First see whether it happens again.",
              "runbook_url": "dashboards/runbook.md#cloudlistdrift"
            }
          },
          {
            "alert": "CloudRecordsRejected",
            "expr": "max by (cloud, reason) (cloud_list_rejected{job=~\"cloud-platform-exporter.*\"} unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated) > 0",
            "for": "15m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "Some servers of a cloud can't be understood.",
              "description": "{{ $value | humanize }} records of cloud {{ $labels.cloud }} have been skipped as {{ $labels.reason }} for 15 minutes or longer; these servers are missing from every sum. First look at them in the exporter's log at level debug.",
              "runbook_url": "dashboards/runbook.md#cloudrecordsrejected"
            }
          },
          {
            "alert": "CloudSnapshotOld",
            "expr": "time() - max by (cloud) (max_over_time(cloud_last_success_timestamp_seconds{job=~\"cloud-platform-exporter.*\"}[1d]) > 0) > scalar(max(cloud:threshold_override:age_seconds) or max(cloud:threshold:age_seconds)) and on (cloud) cloud_up{job=~\"cloud-platform-exporter.*\"}",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The numbers of a cloud are old.",
              "description": "The latest successful collection of cloud {{ $labels.cloud }} ended {{ $value | humanizeDuration }} ago. First see whether a collection hangs, or whether nobody scrapes.",
              "runbook_url": "dashboards/runbook.md#cloudsnapshotold"
            }
          },
          {
            "alert": "CloudCollectionSlow",
            "expr": "max by (cloud) (increase(cloud_exporter_stale_answers_total{job=~\"cloud-platform-exporter.*\"}[15m])) >= scalar(max(cloud:threshold_override:stale_answers) or max(cloud:threshold:stale_answers)) and on (cloud) max by (cloud) (min_over_time(cloud_up{job=~\"cloud-platform-exporter.*\"}[15m])) == 1",
            "for": "15m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "A cloud takes longer to read than a scrape waits.",
              "description": "Scrapes of cloud {{ $labels.cloud }} end before its collection does {{- with printf \"max(cloud_collection_duration_seconds{cloud=%q})\" $labels.cloud | query }}, which takes {{ . | first | value | humanizeDuration }} {{- end }}, about {{ $value | printf \"%.0f\" }} times within 15 minutes; they are answered with the numbers of the time before. First raise the scrape's timeout.",
              "runbook_url": "dashboards/runbook.md#cloudcollectionslow"
            }
          },
          {
            "alert": "CloudScopeTooSmall",
            "expr": "max by (cloud) (cloud_list_received{job=~\"cloud-platform-exporter.*\"}) >= scalar(max(cloud:threshold_override:scope_servers) or max(cloud:threshold:scope_servers)) and on (cloud) max by (cloud) (cloud_projects_visible{job=~\"cloud-platform-exporter.*\"}) == 1",
            "for": "1h",
            "labels": {
              "severity": "info",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The exporter sees a single project.",
              "description": "All {{ $value | humanize }} servers of cloud {{ $labels.cloud }} have been of one project for an hour or longer; the scope of the token may hide the others. First run the check command, which says what the token may see.",
              "runbook_url": "dashboards/runbook.md#cloudscopetoosmall"
            }
          }
        ]
      },
      {
        "name": "cloud-platform-exporter.fleet",
        "rules": [
          {
            "alert": "CloudServerFailed",
            "expr": "max without (job, instance, pod) (\n  cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"failed\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) > 0",
            "for": "15m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A server failed.",
              "description": "Server {{ $labels.name }} ({{ $labels.id }}) of project {{ $labels.project }} in cloud {{ $labels.cloud }} is broken or never came to be {{- with printf \"max(cloud_server_problem_timestamp_seconds{cloud=%q, id=%q, problem=%q})\" $labels.cloud $labels.id $labels.problem | query }}, since {{ . | first | value | humanizeTimestamp }} {{- end }}. First read its task log on the platform.",
              "runbook_url": "dashboards/runbook.md#cloudserverfailed"
            }
          },
          {
            "alert": "CloudServerTaskFailed",
            "expr": "max without (job, instance, pod) (\n  cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"task_failed\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) > 0",
            "for": "1h",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "info",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A task of a server failed.",
              "description": "The latest task of server {{ $labels.name }} ({{ $labels.id }}) of project {{ $labels.project }} in cloud {{ $labels.cloud }} failed {{- with printf \"max(cloud_server_problem_timestamp_seconds{cloud=%q, id=%q, problem=%q})\" $labels.cloud $labels.id $labels.problem | query }} at {{ . | first | value | humanizeTimestamp }} {{- end }}; the server itself most likely is as it was. First read its task log on the platform.",
              "runbook_url": "dashboards/runbook.md#cloudservertaskfailed"
            }
          },
          {
            "alert": "CloudServersFailed",
            "expr": "(\n  sum by (cloud) (cloud_state:cloud_servers:sum{state=\"failed\"})\n  >= scalar(max(cloud:threshold_override:failed_servers) or max(cloud:threshold:failed_servers))\n) > scalar(max(cloud:threshold_override:failed_ratio) or max(cloud:threshold:failed_ratio)) * cloud:cloud_servers_live:sum",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Many servers of a cloud failed.",
              "description": "{{ $value | humanize }} servers of cloud {{ $labels.cloud }} {{- with printf \"cloud:cloud_servers_live:sum{cloud=%q}\" $labels.cloud | query }}, which has {{ . | first | value | humanize }}, {{- end }} have been failed at the same time for 10 minutes or longer. First see on the board Fleet what they share.",
              "runbook_url": "dashboards/runbook.md#cloudserversfailed"
            }
          },
          {
            "alert": "CloudServerStuck",
            "expr": "max without (job, instance, pod) (\n  cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"stuck\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) > 0",
            "for": "15m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A server is stuck.",
              "description": "Server {{ $labels.name }} ({{ $labels.id }}) of project {{ $labels.project }} in cloud {{ $labels.cloud }} has been in transition and unchanged {{- with printf \"max(cloud_server_problem_timestamp_seconds{cloud=%q, id=%q, problem=%q})\" $labels.cloud $labels.id $labels.problem | query }} since {{ . | first | value | humanizeTimestamp }} {{- end }}. First read its task log on the platform.",
              "runbook_url": "dashboards/runbook.md#cloudserverstuck"
            }
          },
          {
            "alert": "CloudServerUnknown",
            "expr": "max without (job, instance, pod) (\n  cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"unknown\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) > 0 unless on (cloud, id) cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"host_down\"}",
            "for": "15m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "The platform does not know how a server is.",
              "description": "The platform does not know the status of server {{ $labels.name }} ({{ $labels.id }}) of project {{ $labels.project }} in cloud {{ $labels.cloud }} {{- with printf \"max(cloud_server_problem_timestamp_seconds{cloud=%q, id=%q, problem=%q})\" $labels.cloud $labels.id $labels.problem | query }}, since {{ . | first | value | humanizeTimestamp }} {{- end }}, though its host is not known to be down. First sync its status on the platform.",
              "runbook_url": "dashboards/runbook.md#cloudserverunknown"
            }
          },
          {
            "alert": "CloudHostDown",
            "expr": "sum by (cloud, region, zone, host) (\n  max by (cloud, region, zone, host, state) (\n    cloud_host_servers{job=~\"cloud-platform-exporter.*\", state!=\"pending_deletion\", host!=\"\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) > 0 and on (cloud, region, zone, host) max by (cloud, region, zone, host) (\n  cloud_host_up{job=~\"cloud-platform-exporter.*\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) == 0 or count by (cloud, region, zone, host) (\n  max by (cloud, id, region, zone, host) (\n    cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"host_down\", host!=\"\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n  unless on (cloud)\n  cloud_host_up{job=~\"cloud-platform-exporter.*\"}\n)",
            "for": "5m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A host with servers on it is down.",
              "description": "Host {{ $labels.host }} in zone {{ $labels.zone }} of cloud {{ $labels.cloud }} has been offline for 5 minutes or longer, with {{ $value | humanize }} servers on it. First ping the host and look at its console.",
              "runbook_url": "dashboards/runbook.md#cloudhostdown"
            }
          },
          {
            "alert": "CloudHostDown",
            "expr": "max by (cloud, region, zone, host) (\n  cloud_host_up{job=~\"cloud-platform-exporter.*\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) == 0 unless on (cloud, region, zone, host) sum by (cloud, region, zone, host) (\n  max by (cloud, region, zone, host, state) (\n    cloud_host_servers{job=~\"cloud-platform-exporter.*\", state!=\"pending_deletion\", host!=\"\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) > 0 unless on (cloud, region, zone, host) cloud_host_enabled{job=~\"cloud-platform-exporter.*\"} == 0",
            "for": "30m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A host without servers is down.",
              "description": "Host {{ $labels.host }} in zone {{ $labels.zone }} of cloud {{ $labels.cloud }} has been offline for 30 minutes or longer; it is enabled but has 0 servers. First ping the host and look at its console.",
              "runbook_url": "dashboards/runbook.md#cloudhostdown"
            }
          },
          {
            "alert": "CloudHostNotRunning",
            "expr": "(\n  sum by (cloud, region, zone, host) (\n    max by (cloud, region, zone, host, state) (\n      cloud_host_servers{job=~\"cloud-platform-exporter.*\", state=~\"failed|unknown|transition\", host!=\"\"}\n      unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n    )\n  )\n  >= scalar(max(cloud:threshold_override:host_not_running_servers) or max(cloud:threshold:host_not_running_servers))\n) > scalar(max(cloud:threshold_override:host_not_running_ratio) or max(cloud:threshold:host_not_running_ratio)) * sum by (cloud, region, zone, host) (\n  max by (cloud, region, zone, host, state) (\n    cloud_host_servers{job=~\"cloud-platform-exporter.*\", state!~\"stopped|pending_deletion\", host!=\"\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Most servers of a host do not run.",
              "description": "{{ $value | humanize }} servers on host {{ $labels.host }} in zone {{ $labels.zone }} of cloud {{ $labels.cloud }}, most of those there, have not run for 10 minutes or longer though nobody stopped them. First look at the host's storage and network.",
              "runbook_url": "dashboards/runbook.md#cloudhostnotrunning"
            }
          },
          {
            "alert": "CloudZoneNotRunning",
            "expr": "(\n  sum by (cloud, region, zone) (\n    cloud_zone_state:cloud_servers:sum{state=~\"failed|unknown|transition\", zone!=\"\"}\n  )\n  >= scalar(max(cloud:threshold_override:zone_not_running_servers) or max(cloud:threshold:zone_not_running_servers))\n) > scalar(max(cloud:threshold_override:zone_not_running_ratio) or max(cloud:threshold:zone_not_running_ratio)) * sum by (cloud, region, zone) (\n  cloud_zone_state:cloud_servers:sum{state!~\"stopped|pending_deletion\", zone!=\"\"}\n)",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Most servers of a zone do not run.",
              "description": "{{ $value | humanize }} servers in zone {{ $labels.zone }} of region {{ $labels.region }} in cloud {{ $labels.cloud }}, most of those there, have not run for 10 minutes or longer though nobody stopped them. First look at power, network and storage of the zone.",
              "runbook_url": "dashboards/runbook.md#cloudzonenotrunning"
            }
          },
          {
            "alert": "CloudServersVanished",
            "expr": "cloud:cloud_servers_live:sum < (1 - scalar(max(cloud:threshold_override:vanished_ratio) or max(cloud:threshold:vanished_ratio))) * (last_over_time(cloud:cloud_servers_live:sum[6h] offset 1h) >= scalar(max(cloud:threshold_override:loss_servers) or max(cloud:threshold:loss_servers)))",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A cloud has far fewer servers than an hour ago.",
              "description": "Cloud {{ $labels.cloud }} has {{ $value | humanize }} servers left {{- with printf \"last_over_time(cloud:cloud_servers_live:sum{cloud=%q}[6h] offset 1h)\" $labels.cloud | query }} of {{ . | first | value | humanize }} {{- end }} an hour ago; those in the recycle bin are not counted. First see whether they were deleted, or whether the exporter sees less than before.",
              "runbook_url": "dashboards/runbook.md#cloudserversvanished"
            }
          },
          {
            "alert": "CloudServersVanished",
            "expr": "cloud:cloud_servers_live:sum < (1 - scalar(max(cloud:threshold_override:vanished_critical_ratio) or max(cloud:threshold:vanished_critical_ratio))) * (last_over_time(cloud:cloud_servers_live:sum[6h] offset 1h) >= scalar(max(cloud:threshold_override:loss_servers) or max(cloud:threshold:loss_servers)))",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A cloud has far fewer servers than an hour ago.",
              "description": "Cloud {{ $labels.cloud }} has {{ $value | humanize }} servers left {{- with printf \"last_over_time(cloud:cloud_servers_live:sum{cloud=%q}[6h] offset 1h)\" $labels.cloud | query }} of {{ . | first | value | humanize }} {{- end }} an hour ago; those in the recycle bin are not counted. First see whether they were deleted, or whether the exporter sees less than before.",
              "runbook_url": "dashboards/runbook.md#cloudserversvanished"
            }
          },
          {
            "alert": "CloudServersRecycled",
            "expr": "cloud:cloud_servers_pending_deletion:sum - last_over_time(cloud:cloud_servers_pending_deletion:sum[6h] offset 1h) > scalar(max(cloud:threshold_override:recycled_ratio) or max(cloud:threshold:recycled_ratio)) * (last_over_time(cloud:cloud_servers_live:sum[6h] offset 1h) >= scalar(max(cloud:threshold_override:loss_servers) or max(cloud:threshold:loss_servers)))",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A large part of a cloud went to the recycle bin.",
              "description": "{{ $value | humanize }} servers of cloud {{ $labels.cloud }} went to the recycle bin within an hour {{- with printf \"last_over_time(cloud:cloud_servers_live:sum{cloud=%q}[6h] offset 1h)\" $labels.cloud | query }}, of {{ . | first | value | humanize }} {{- end }}. First stop whoever deletes, then restore them before the bin is emptied.",
              "runbook_url": "dashboards/runbook.md#cloudserversrecycled"
            }
          },
          {
            "alert": "CloudServersRecycled",
            "expr": "cloud:cloud_servers_pending_deletion:sum - last_over_time(cloud:cloud_servers_pending_deletion:sum[6h] offset 1h) > scalar(max(cloud:threshold_override:recycled_critical_ratio) or max(cloud:threshold:recycled_critical_ratio)) * (last_over_time(cloud:cloud_servers_live:sum[6h] offset 1h) >= scalar(max(cloud:threshold_override:loss_servers) or max(cloud:threshold:loss_servers)))",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A large part of a cloud went to the recycle bin.",
              "description": "{{ $value | humanize }} servers of cloud {{ $labels.cloud }} went to the recycle bin within an hour {{- with printf \"last_over_time(cloud:cloud_servers_live:sum{cloud=%q}[6h] offset 1h)\" $labels.cloud | query }}, of {{ . | first | value | humanize }} {{- end }}. First stop whoever deletes, then restore them before the bin is emptied.",
              "runbook_url": "dashboards/runbook.md#cloudserversrecycled"
            }
          },
          {
            "alert": "CloudServersStopped",
            "expr": "cloud:cloud_servers_stopped:sum - last_over_time(cloud:cloud_servers_stopped:sum[6h] offset 1h) > scalar(max(cloud:threshold_override:stopped_ratio) or max(cloud:threshold:stopped_ratio)) * (last_over_time(cloud:cloud_servers_running:sum[6h] offset 1h) >= scalar(max(cloud:threshold_override:loss_servers) or max(cloud:threshold:loss_servers))) and cloud:cloud_servers_running:sum < (1 - scalar(max(cloud:threshold_override:stopped_ratio) or max(cloud:threshold:stopped_ratio))) * last_over_time(cloud:cloud_servers_running:sum[6h] offset 1h)",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Many running servers stopped at once.",
              "description": "{{ $value | humanize }} servers of cloud {{ $labels.cloud }} stopped within an hour {{- with printf \"last_over_time(cloud:cloud_servers_running:sum{cloud=%q}[6h] offset 1h)\" $labels.cloud | query }}, of {{ . | first | value | humanize }} that ran {{- end }}. First see in the platform's operation log who stopped them.",
              "runbook_url": "dashboards/runbook.md#cloudserversstopped"
            }
          },
          {
            "alert": "CloudStandbyDown",
            "expr": "max without (job, instance, pod) (\n  cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"standby_down\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) > 0",
            "for": "15m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A server has lost its standby.",
              "description": "The standby host of server {{ $labels.name }} ({{ $labels.id }}) of project {{ $labels.project }} in cloud {{ $labels.cloud }} has been offline for 15 minutes or longer; the server would not survive the loss of host {{ $labels.host }}. First look at its backup host on the platform.",
              "runbook_url": "dashboards/runbook.md#cloudstandbydown"
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
              "summary": "Servers end soon and are not renewed.",
              "description": "{{ $value | humanize }} {{ with $labels.billing_type }}{{ . }} {{ end }}servers of project {{ $labels.project }} (domain {{ $labels.project_domain }}) in cloud {{ $labels.cloud }} end within {{ $labels.within }} and have no auto-renewal. First ask their project whether to renew them.",
              "runbook_url": "dashboards/runbook.md#cloudserversexpiring"
            }
          },
          {
            "alert": "CloudServersExpiring",
            "expr": "sum by (cloud, project_domain, project, billing_type, within) (\n  max without (job, instance, pod) (\n    cloud_servers_expiring{job=~\"cloud-platform-exporter.*\", within=~\"7d|1d\", billing_type!=\"postpaid\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) > 0",
            "for": "1h",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Servers end soon and are not renewed.",
              "description": "{{ $value | humanize }} {{ with $labels.billing_type }}{{ . }} {{ end }}servers of project {{ $labels.project }} (domain {{ $labels.project_domain }}) in cloud {{ $labels.cloud }} end within {{ $labels.within }} and have no auto-renewal. First ask their project whether to renew them.",
              "runbook_url": "dashboards/runbook.md#cloudserversexpiring"
            }
          },
          {
            "alert": "CloudServerExpired",
            "expr": "max without (job, instance, pod) (\n  cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"expired\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) > 0",
            "for": "15m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A server has expired.",
              "description": "Server {{ $labels.name }} ({{ $labels.id }}) of project {{ $labels.project }} in cloud {{ $labels.cloud }} is past its end {{- with printf \"max(cloud_server_problem_timestamp_seconds{cloud=%q, id=%q, problem=%q})\" $labels.cloud $labels.id $labels.problem | query }}, which was {{ . | first | value | humanizeTimestamp }} {{- end }}, and may be deleted by the platform or its provider. First renew it, or delete it.",
              "runbook_url": "dashboards/runbook.md#cloudserverexpired"
            }
          },
          {
            "alert": "CloudGpuHeldByStopped",
            "expr": "sum by (cloud, region, zone, project_domain, project, model) (\n  last_over_time(cloud_zone_project_state_model:cloud_servers_devices:sum{state=\"stopped\", dev_type=~\".*GPU.*|NPU\"}[15m])\n) > 0",
            "for": "24h",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Stopped servers hold GPUs.",
              "description": "Stopped servers of project {{ $labels.project }} (domain {{ $labels.project_domain }}) have held {{ $value | humanize }} {{ $labels.model }} in zone {{ $labels.zone }} of cloud {{ $labels.cloud }} for a day or longer. First ask the project whether it needs them.",
              "runbook_url": "dashboards/runbook.md#cloudgpuheldbystopped"
            }
          },
          {
            "alert": "CloudPendingDeletionPilesUp",
            "expr": "(\n  last_over_time(cloud:cloud_servers_pending_deletion:sum[15m])\n  >= scalar(max(cloud:threshold_override:pending_deletion_servers) or max(cloud:threshold:pending_deletion_servers))\n) > scalar(max(cloud:threshold_override:pending_deletion_ratio) or max(cloud:threshold:pending_deletion_ratio)) * last_over_time(cloud:cloud_servers:sum[15m])",
            "for": "6h",
            "labels": {
              "severity": "info",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "The recycle bin of a cloud fills.",
              "description": "{{ $value | humanize }} servers of cloud {{ $labels.cloud }} have waited in the recycle bin for 6 hours or longer and still hold their disks. First see whether the platform's cleaning job runs.",
              "runbook_url": "dashboards/runbook.md#cloudpendingdeletionpilesup"
            }
          }
        ]
      },
      {
        "name": "cloud-platform-exporter.room",
        "rules": [
          {
            "alert": "CloudZoneNearlyFull",
            "expr": "cloud_zone:room_left:sum{zone!=\"\"} / cloud_zone:room_allowed:sum < scalar(max(cloud:threshold_override:room_left_ratio) or max(cloud:threshold:room_left_ratio))",
            "for": "30m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A zone is nearly full.",
              "description": "Zone {{ $labels.zone }} of region {{ $labels.region }} in cloud {{ $labels.cloud }} has had only {{ $value | humanizePercentage }} of its {{ if eq $labels.resource \"vcpus\" }}vCPUs{{ else }}memory{{ end }} left for 30 minutes or longer. First see on the board Host which hosts are down or disabled.",
              "runbook_url": "dashboards/runbook.md#cloudzonenearlyfull"
            }
          },
          {
            "alert": "CloudZoneFullWithoutHost",
            "expr": "0 - cloud_zone:room_left_without_largest_host:sum{zone!=\"\"} > 0 and on (cloud, region, zone, resource) count by (cloud, region, zone, resource) (cloud_host:room_allowed:sum) >= scalar(max(cloud:threshold_override:spare_hosts) or max(cloud:threshold:spare_hosts))",
            "for": "1h",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A zone would be full without its largest host.",
              "description": "If the largest host of zone {{ $labels.zone }} of region {{ $labels.region }} in cloud {{ $labels.cloud }} died, its servers would not fit elsewhere: {{ if eq $labels.resource \"vcpus\" }}{{ $value | humanize }} vCPUs{{ else }}{{ $value | humanize1024 }}B of memory{{ end }} would be missing, for an hour or longer by now. First see on the board Host where room can be made.",
              "runbook_url": "dashboards/runbook.md#cloudzonefullwithouthost"
            }
          },
          {
            "alert": "CloudZoneFullSoon",
            "expr": "cloud_zone:room_left:sum{zone!=\"\"} > 0 and predict_linear(cloud_zone:room_left:sum[14d:1h], scalar(max(cloud:threshold_override:full_within_seconds) or max(cloud:threshold:full_within_seconds))) < 0 and cloud_zone:room_left:sum offset 13d",
            "for": "6h",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "info",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A zone will be full soon.",
              "description": "Zone {{ $labels.zone }} of region {{ $labels.region }} in cloud {{ $labels.cloud }} has {{ if eq $labels.resource \"vcpus\" }}{{ $value | humanize }} vCPUs{{ else }}{{ $value | humanize1024 }}B of memory{{ end }} left, and at the pace of the last 14 days none in another 14. First see on the board Growth which projects grow.",
              "runbook_url": "dashboards/runbook.md#cloudzonefullsoon"
            }
          },
          {
            "alert": "CloudHostDisabled",
            "expr": "max by (cloud, region, zone, host) (last_over_time(cloud_host_enabled{job=~\"cloud-platform-exporter.*\"}[15m])) == 0 and on (cloud, region, zone, host) max by (cloud, region, zone, host) (\n  last_over_time(cloud_host_servers{job=~\"cloud-platform-exporter.*\", state!=\"pending_deletion\"}[15m])\n) > 0",
            "for": "24h",
            "labels": {
              "severity": "info",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A host is disabled and still holds servers.",
              "description": "Host {{ $labels.host }} in zone {{ $labels.zone }} of cloud {{ $labels.cloud }} has been disabled for a day or longer {{- with printf \"sum(max by (state) (cloud_host_servers{cloud=%q, zone=%q, host=%q, state!=\\\"pending_deletion\\\"}))\" $labels.cloud $labels.zone $labels.host | query }} and holds {{ . | first | value | humanize }} servers {{- end }}. First ask whether its maintenance was forgotten.",
              "runbook_url": "dashboards/runbook.md#cloudhostdisabled"
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
            "record": "cloud:cloud_servers_pending_deletion:sum",
            "expr": "sum by (cloud) (\n  max without (job, instance, pod) (\n    cloud_servers{job=~\"cloud-platform-exporter.*\", state=\"pending_deletion\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) or 0 * max by (cloud) (cloud_snapshot_timestamp_seconds{job=~\"cloud-platform-exporter.*\"})"
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
            "record": "cloud:cloud_servers_memory_bytes:sum",
            "expr": "sum by (cloud) (\n  max without (job, instance, pod) (\n    cloud_servers_memory_bytes{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud:cloud_servers_disk_bytes:sum",
            "expr": "sum by (cloud) (\n  max without (job, instance, pod) (\n    cloud_servers_disk_bytes{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
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
            "record": "cloud_project_state_model:cloud_servers_devices:sum",
            "expr": "sum by (cloud, project_domain, project, state, dev_type, model) (\n  max without (job, instance, pod) (\n    cloud_servers_devices{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud_zone_project_state_model:cloud_servers_devices:sum",
            "expr": "sum by (cloud, region, zone, project_domain, project, state, dev_type, model) (\n  max without (job, instance, pod) (\n    cloud_servers_devices{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n)"
          },
          {
            "record": "cloud:cloud_exporter_collection_failures_per_collections:ratio_rate1h",
            "expr": "sum by (cloud) (rate(cloud_exporter_collection_failures_total{job=~\"cloud-platform-exporter.*\"}[1h])) / sum by (cloud) (rate(cloud_exporter_collections_total{job=~\"cloud-platform-exporter.*\"}[1h]))"
          }
        ]
      },
      {
        "name": "cloud-platform-exporter.capacity",
        "rules": [
          {
            "record": "cloud_host:room_allowed:sum",
            "labels": {
              "resource": "vcpus"
            },
            "expr": "max by (cloud, region, zone, host) (\n  cloud_host_cpus{job=~\"cloud-platform-exporter.*\"}\n  * (cloud_host_cpu_overcommit{job=~\"cloud-platform-exporter.*\"} or cloud_host_cpus{job=~\"cloud-platform-exporter.*\"} * 0 + 1)\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) and on (cloud, region, zone, host) max by (cloud, region, zone, host) (\n  cloud_host_up{job=~\"cloud-platform-exporter.*\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) == 1 unless on (cloud, region, zone, host) max by (cloud, region, zone, host) (\n  cloud_host_enabled{job=~\"cloud-platform-exporter.*\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) == 0"
          },
          {
            "record": "cloud_host:room_allowed:sum",
            "labels": {
              "resource": "memory"
            },
            "expr": "max by (cloud, region, zone, host) (\n  cloud_host_memory_capacity_bytes{job=~\"cloud-platform-exporter.*\"}\n  * (cloud_host_memory_overcommit{job=~\"cloud-platform-exporter.*\"} or cloud_host_memory_capacity_bytes{job=~\"cloud-platform-exporter.*\"} * 0 + 1)\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) and on (cloud, region, zone, host) max by (cloud, region, zone, host) (\n  cloud_host_up{job=~\"cloud-platform-exporter.*\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) == 1 unless on (cloud, region, zone, host) max by (cloud, region, zone, host) (\n  cloud_host_enabled{job=~\"cloud-platform-exporter.*\"}\n  unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n) == 0"
          },
          {
            "record": "cloud_host:room_promised:sum",
            "labels": {
              "resource": "vcpus"
            },
            "expr": "sum by (cloud, region, zone, host) (\n  max by (cloud, region, zone, host, state) (\n    cloud_host_servers_vcpus{job=~\"cloud-platform-exporter.*\", state!=\"pending_deletion\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) and on (cloud, region, zone, host) cloud_host:room_allowed:sum{resource=\"vcpus\"} or 0 * max by (cloud, region, zone, host) (cloud_host:room_allowed:sum{resource=\"vcpus\"})"
          },
          {
            "record": "cloud_host:room_promised:sum",
            "labels": {
              "resource": "memory"
            },
            "expr": "sum by (cloud, region, zone, host) (\n  max by (cloud, region, zone, host, state) (\n    cloud_host_servers_memory_bytes{job=~\"cloud-platform-exporter.*\", state!=\"pending_deletion\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n) and on (cloud, region, zone, host) cloud_host:room_allowed:sum{resource=\"memory\"} or 0 * max by (cloud, region, zone, host) (cloud_host:room_allowed:sum{resource=\"memory\"})"
          },
          {
            "record": "cloud_host:room_left:sum",
            "expr": "clamp_min(cloud_host:room_allowed:sum - cloud_host:room_promised:sum, 0)"
          },
          {
            "record": "cloud_zone:room_allowed:sum",
            "expr": "sum by (cloud, region, zone, resource) (cloud_host:room_allowed:sum)"
          },
          {
            "record": "cloud_zone:room_promised:sum",
            "expr": "sum by (cloud, region, zone, resource) (cloud_host:room_promised:sum)"
          },
          {
            "record": "cloud_zone:room_left:sum",
            "expr": "sum by (cloud, region, zone, resource) (cloud_host:room_left:sum)"
          },
          {
            "record": "cloud_region:room_allowed:sum",
            "expr": "sum by (cloud, region, resource) (cloud_host:room_allowed:sum)"
          },
          {
            "record": "cloud_region:room_left:sum",
            "expr": "sum by (cloud, region, resource) (cloud_host:room_left:sum)"
          },
          {
            "record": "cloud:room_allowed:sum",
            "expr": "sum by (cloud, resource) (cloud_host:room_allowed:sum)"
          },
          {
            "record": "cloud:room_left:sum",
            "expr": "sum by (cloud, resource) (cloud_host:room_left:sum)"
          },
          {
            "record": "cloud_zone:room_left:max",
            "expr": "max by (cloud, region, zone, resource) (cloud_host:room_left:sum)"
          },
          {
            "record": "cloud_zone:room_left_without_largest_host:sum",
            "expr": "cloud_zone:room_left:sum - max by (cloud, region, zone, resource) (cloud_host:room_left:sum + cloud_host:room_promised:sum)"
          },
          {
            "record": "cloud_zone:room_promised_per_real:ratio",
            "labels": {
              "resource": "vcpus"
            },
            "expr": "sum by (cloud, region, zone) (cloud_host:room_promised:sum{resource=\"vcpus\"}) / sum by (cloud, region, zone) (\n  max by (cloud, region, zone, host) (\n    cloud_host_cpus{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n  and on (cloud, region, zone, host)\n  cloud_host:room_allowed:sum{resource=\"vcpus\"}\n)"
          },
          {
            "record": "cloud_zone:room_promised_per_real:ratio",
            "labels": {
              "resource": "memory"
            },
            "expr": "sum by (cloud, region, zone) (cloud_host:room_promised:sum{resource=\"memory\"}) / sum by (cloud, region, zone) (\n  max by (cloud, region, zone, host) (\n    cloud_host_memory_capacity_bytes{job=~\"cloud-platform-exporter.*\"}\n    unless on (cloud, job, instance) cloud_instance:cloud_snapshot:outdated\n  )\n  and on (cloud, region, zone, host)\n  cloud_host:room_allowed:sum{resource=\"memory\"}\n)"
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
            "record": "cloud:threshold:login_refusals",
            "expr": "vector(2)"
          },
          {
            "record": "cloud:threshold:token_left_seconds",
            "expr": "vector(180)"
          },
          {
            "record": "cloud:threshold:password_left_seconds",
            "expr": "vector(1209600)"
          },
          {
            "record": "cloud:threshold:password_left_critical_seconds",
            "expr": "vector(172800)"
          },
          {
            "record": "cloud:threshold:missing_servers",
            "expr": "vector(0)"
          },
          {
            "record": "cloud:threshold:drifted_servers",
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
            "record": "cloud:threshold:scope_servers",
            "expr": "vector(10)"
          },
          {
            "record": "cloud:threshold:failed_servers",
            "expr": "vector(10)"
          },
          {
            "record": "cloud:threshold:failed_ratio",
            "expr": "vector(0.05)"
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
            "record": "cloud:threshold:loss_servers",
            "expr": "vector(20)"
          },
          {
            "record": "cloud:threshold:vanished_ratio",
            "expr": "vector(0.2)"
          },
          {
            "record": "cloud:threshold:vanished_critical_ratio",
            "expr": "vector(0.5)"
          },
          {
            "record": "cloud:threshold:recycled_ratio",
            "expr": "vector(0.2)"
          },
          {
            "record": "cloud:threshold:recycled_critical_ratio",
            "expr": "vector(0.5)"
          },
          {
            "record": "cloud:threshold:stopped_ratio",
            "expr": "vector(0.2)"
          },
          {
            "record": "cloud:threshold:pending_deletion_servers",
            "expr": "vector(20)"
          },
          {
            "record": "cloud:threshold:pending_deletion_ratio",
            "expr": "vector(0.1)"
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
