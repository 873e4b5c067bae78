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
              "description": "Prometheus cannot scrape {{ $labels.instance }} (job {{ $labels.job }}); nothing is known of its clouds.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudexporterdown"
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
              "description": "Prometheus has no target of a job that starts with cloud-platform-exporter; nothing is known of any cloud.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudexporterabsent"
            }
          },
          {
            "alert": "CloudNotObserved",
            "expr": "max by (job, cloud) (last_over_time(cloud_up{job=~\"cloud-platform-exporter.*\"}[6h])) unless max by (job, cloud) (cloud_up{job=~\"cloud-platform-exporter.*\"})",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "A cloud is no longer watched.",
              "description": "Cloud {{ $labels.cloud }} was exported earlier today, but no longer is (job {{ $labels.job }}).",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudnotobserved"
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
              "description": "The latest reload of {{ $labels.instance }} failed; it goes on with the configuration it had.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudexporterreloadfailed"
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
              "description": "series_limit of cloud {{ $labels.cloud }} leaves out {{ $value | humanize }} series.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudserieslimithit"
            }
          },
          {
            "alert": "CloudProblemLimitHit",
            "expr": "sum by (job, cloud) (cloud_server_problems{job=~\"cloud-platform-exporter.*\"}) > count by (job, cloud) (cloud_server_problem{job=~\"cloud-platform-exporter.*\"})",
            "for": "15m",
            "labels": {
              "severity": "info",
              "concern": "exporter"
            },
            "annotations": {
              "summary": "More servers have problems than are named.",
              "description": "Cloud {{ $labels.cloud }} has {{ $value | humanize }} problems of servers, more than problem_limit names; alerts name only the most pressing.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudproblemlimithit"
            }
          }
        ]
      },
      {
        "name": "cloud-platform-exporter.collection",
        "rules": [
          {
            "alert": "CloudDown",
            "expr": "cloud_up{job=~\"cloud-platform-exporter.*\"} == 0",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "A cloud can't be read.",
              "description": "Collections of cloud {{ $labels.cloud }} fail {{- with printf \"topk(1, sum by (reason) (increase(cloud_exporter_collection_failures_total{cloud=%q}[15m])) > 0)\" $labels.cloud | query }}, most often as {{ . | first | label \"reason\" }} {{- end }} (exporter {{ $labels.instance }}); its servers are not known until this ends.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#clouddown"
            }
          },
          {
            "alert": "CloudDown",
            "expr": "cloud_up{job=~\"cloud-platform-exporter.*\"} == 0",
            "for": "15m",
            "labels": {
              "severity": "critical",
              "concern": "collection"
            },
            "annotations": {
              "summary": "A cloud can't be read.",
              "description": "Collections of cloud {{ $labels.cloud }} fail {{- with printf \"topk(1, sum by (reason) (increase(cloud_exporter_collection_failures_total{cloud=%q}[15m])) > 0)\" $labels.cloud | query }}, most often as {{ . | first | label \"reason\" }} {{- end }} (exporter {{ $labels.instance }}); its servers are not known until this ends.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#clouddown"
            }
          },
          {
            "alert": "CloudUnsteady",
            "expr": "changes(cloud_up{job=~\"cloud-platform-exporter.*\"}[1h]) >= 6",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "A cloud can be read only now and then.",
              "description": "Collections of cloud {{ $labels.cloud }} went from good to bad or back {{ $value }} times within an hour.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudunsteady"
            }
          },
          {
            "alert": "CloudLoginRefused",
            "expr": "sum by (job, instance, cloud, reason) (\n  increase(\n    cloud_exporter_login_failures_total{job=~\"cloud-platform-exporter.*\", reason=~\"unauthorized|forbidden|throttled|rejected|secret\"}[30m]\n  )\n) >= 2",
            "for": "1m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The platform refuses the exporter's login.",
              "description": "Logins to cloud {{ $labels.cloud }} are refused as {{ $labels.reason }}; it goes down when the token that is still held ends.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudloginrefused"
            }
          },
          {
            "alert": "CloudTokenNotRenewed",
            "expr": "cloud_token_expiry_timestamp_seconds{job=~\"cloud-platform-exporter.*\"} - time() < 180",
            "for": "1m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The exporter's token ends and was not renewed.",
              "description": "The token for cloud {{ $labels.cloud }} had {{ $value | humanizeDuration }} left; it should have been renewed before that.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudtokennotrenewed"
            }
          },
          {
            "alert": "CloudPasswordExpiring",
            "expr": "cloud_password_expiry_timestamp_seconds{job=~\"cloud-platform-exporter.*\"} - time() < 14 * 86400",
            "for": "1h",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The password of the exporter's own account ends soon.",
              "description": "The password with which the exporter logs in to cloud {{ $labels.cloud }} ends in {{ $value | humanizeDuration }}.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudpasswordexpiring"
            }
          },
          {
            "alert": "CloudPasswordExpiring",
            "expr": "cloud_password_expiry_timestamp_seconds{job=~\"cloud-platform-exporter.*\"} - time() < 2 * 86400",
            "for": "15m",
            "labels": {
              "severity": "critical",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The password of the exporter's own account ends soon.",
              "description": "The password with which the exporter logs in to cloud {{ $labels.cloud }} ends in {{ $value | humanizeDuration }}.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudpasswordexpiring"
            }
          },
          {
            "alert": "CloudListIncomplete",
            "expr": "cloud_list_reported{job=~\"cloud-platform-exporter.*\"} - cloud_list_received{job=~\"cloud-platform-exporter.*\"} - sum without (reason) (cloud_list_rejected{job=~\"cloud-platform-exporter.*\"}) > 0",
            "for": "30m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "Fewer servers arrive than the platform says it has.",
              "description": "{{ $value | humanize }} servers of cloud {{ $labels.cloud }} are missing from its list.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudlistincomplete"
            }
          },
          {
            "alert": "CloudRecordsRejected",
            "expr": "cloud_list_rejected{job=~\"cloud-platform-exporter.*\"} > 0",
            "for": "15m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "Some servers of a cloud can't be understood.",
              "description": "{{ $value | humanize }} records of cloud {{ $labels.cloud }} are skipped as {{ $labels.reason }}; these servers are missing from every sum.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudrecordsrejected"
            }
          },
          {
            "alert": "CloudSnapshotOld",
            "expr": "time() - last_over_time(cloud_snapshot_timestamp_seconds{job=~\"cloud-platform-exporter.*\"}[1h]) > 300 and cloud_up{job=~\"cloud-platform-exporter.*\"}",
            "for": "5m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The numbers of a cloud are old.",
              "description": "The latest list of the servers of cloud {{ $labels.cloud }} is {{ $value | humanizeDuration }} old.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudsnapshotold"
            }
          },
          {
            "alert": "CloudCollectionSlow",
            "expr": "increase(cloud_exporter_stale_answers_total{job=~\"cloud-platform-exporter.*\"}[15m]) >= 3 and on (cloud) min_over_time(cloud_up{job=~\"cloud-platform-exporter.*\"}[15m]) == 1",
            "for": "15m",
            "labels": {
              "severity": "warning",
              "concern": "collection"
            },
            "annotations": {
              "summary": "A cloud takes longer to read than a scrape waits.",
              "description": "Scrapes of cloud {{ $labels.cloud }} end before its collection does {{- with printf \"max(cloud_collection_duration_seconds{cloud=%q})\" $labels.cloud | query }}, which takes {{ . | first | value | humanizeDuration }} {{- end }}; they are answered with the numbers of the time before.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudcollectionslow"
            }
          },
          {
            "alert": "CloudScopeTooSmall",
            "expr": "cloud_projects_visible{job=~\"cloud-platform-exporter.*\"} == 1 and cloud_list_received{job=~\"cloud-platform-exporter.*\"} >= 10",
            "for": "1h",
            "labels": {
              "severity": "info",
              "concern": "collection"
            },
            "annotations": {
              "summary": "The exporter sees a single project.",
              "description": "All servers of cloud {{ $labels.cloud }} are of one project; the scope of the token may hide the others.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudscopetoosmall"
            }
          }
        ]
      },
      {
        "name": "cloud-platform-exporter.fleet",
        "rules": [
          {
            "alert": "CloudServerFailed",
            "expr": "max without (instance, pod) (cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"failed\"}) > 0",
            "for": "15m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A server failed.",
              "description": "Server {{ $labels.name }} ({{ $labels.id }}) of project {{ $labels.project }} in cloud {{ $labels.cloud }} is in status {{ $labels.status }}.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudserverfailed"
            }
          },
          {
            "alert": "CloudServersFailed",
            "expr": "(sum by (cloud) (cloud_state:cloud_servers:sum{state=\"failed\"}) >= 10) > 0.05 * cloud:cloud_servers:sum",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Many servers of a cloud failed.",
              "description": "{{ $value | humanize }} servers of cloud {{ $labels.cloud }} have failed at the same time.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudserversfailed"
            }
          },
          {
            "alert": "CloudServerStuck",
            "expr": "max without (instance, pod) (cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"stuck\"}) > 0",
            "for": "15m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A server is stuck.",
              "description": "Server {{ $labels.name }} ({{ $labels.id }}) of project {{ $labels.project }} in cloud {{ $labels.cloud }} has not got on from status {{ $labels.status }}.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudserverstuck"
            }
          },
          {
            "alert": "CloudServerUnknown",
            "expr": "max without (instance, pod) (cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"unknown\"}) > 0 unless on (cloud, id) cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"host_down\"}",
            "for": "15m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "The platform does not know how a server is.",
              "description": "Server {{ $labels.name }} ({{ $labels.id }}) of project {{ $labels.project }} in cloud {{ $labels.cloud }} is in status {{ $labels.status }}, though its host is not known to be down.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudserverunknown"
            }
          },
          {
            "alert": "CloudHostDown",
            "expr": "count by (cloud, region, zone, host) (\n  cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"host_down\", host!=\"\"}\n) > 0",
            "for": "5m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A host with servers on it is down.",
              "description": "Host {{ $labels.host }} in zone {{ $labels.zone }} of cloud {{ $labels.cloud }} is offline with {{ $value | humanize }} servers on it.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudhostdown"
            }
          },
          {
            "alert": "CloudHostNotRunning",
            "expr": "(count by (cloud, region, zone, host) (\n  cloud_server_status{job=~\"cloud-platform-exporter.*\", state=~\"failed|unknown|transition\"}\n  * on (cloud, id) group_left (region, zone, host)\n  cloud_server_info{job=~\"cloud-platform-exporter.*\", host!=\"\"}\n) >= 5) > 0.5 * count by (cloud, region, zone, host) (\n  cloud_server_status{job=~\"cloud-platform-exporter.*\", state!=\"stopped\"}\n  * on (cloud, id) group_left (region, zone, host)\n  cloud_server_info{job=~\"cloud-platform-exporter.*\", host!=\"\"}\n)",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Most servers of a host do not run.",
              "description": "{{ $value | humanize }} servers on host {{ $labels.host }} in zone {{ $labels.zone }} of cloud {{ $labels.cloud }} do not run though nobody stopped them, most of those there.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudhostnotrunning"
            }
          },
          {
            "alert": "CloudZoneNotRunning",
            "expr": "(sum by (cloud, region, zone) (\n  cloud_zone_state:cloud_servers:sum{state=~\"failed|unknown|transition\", zone!=\"\"}\n) >= 10) > 0.5 * sum by (cloud, region, zone) (cloud_zone_state:cloud_servers:sum{state!=\"stopped\", zone!=\"\"})",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Most servers of a zone do not run.",
              "description": "{{ $value | humanize }} servers in zone {{ $labels.zone }} of region {{ $labels.region }} in cloud {{ $labels.cloud }} do not run though nobody stopped them, most of those there.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudzonenotrunning"
            }
          },
          {
            "alert": "CloudServersVanished",
            "expr": "cloud:cloud_servers:sum < 0.8 * (cloud:cloud_servers:sum offset 1h >= 20)",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A cloud has far fewer servers than an hour ago.",
              "description": "Cloud {{ $labels.cloud }} has {{ $value | humanize }} servers left {{- with printf \"cloud:cloud_servers:sum{cloud=%q} offset 1h\" $labels.cloud | query }} of {{ . | first | value | humanize }} an hour ago {{- end }}.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudserversvanished"
            }
          },
          {
            "alert": "CloudServersVanished",
            "expr": "cloud:cloud_servers:sum < 0.5 * (cloud:cloud_servers:sum offset 1h >= 20)",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A cloud has far fewer servers than an hour ago.",
              "description": "Cloud {{ $labels.cloud }} has {{ $value | humanize }} servers left {{- with printf \"cloud:cloud_servers:sum{cloud=%q} offset 1h\" $labels.cloud | query }} of {{ . | first | value | humanize }} an hour ago {{- end }}.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudserversvanished"
            }
          },
          {
            "alert": "CloudStandbyDown",
            "expr": "max without (instance, pod) (cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"standby_down\"}) > 0",
            "for": "15m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A server has lost its standby.",
              "description": "The standby host of server {{ $labels.name }} ({{ $labels.id }}) of project {{ $labels.project }} in cloud {{ $labels.cloud }} is offline; the server would not survive the loss of host {{ $labels.host }}.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudstandbydown"
            }
          },
          {
            "alert": "CloudServersExpiring",
            "expr": "sum by (cloud, project_domain, project, within) (cloud_servers_expiring{job=~\"cloud-platform-exporter.*\", within=\"30d\"}) > 0",
            "for": "1h",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "info",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Prepaid servers end soon and are not renewed.",
              "description": "{{ $value | humanize }} servers of project {{ $labels.project }} (domain {{ $labels.project_domain }}) in cloud {{ $labels.cloud }} end within {{ $labels.within }} and have no auto-renewal.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudserversexpiring"
            }
          },
          {
            "alert": "CloudServersExpiring",
            "expr": "sum by (cloud, project_domain, project, within) (cloud_servers_expiring{job=~\"cloud-platform-exporter.*\", within=\"7d\"}) > 0",
            "for": "1h",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Prepaid servers end soon and are not renewed.",
              "description": "{{ $value | humanize }} servers of project {{ $labels.project }} (domain {{ $labels.project_domain }}) in cloud {{ $labels.cloud }} end within {{ $labels.within }} and have no auto-renewal.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudserversexpiring"
            }
          },
          {
            "alert": "CloudServersExpiring",
            "expr": "sum by (cloud, project_domain, project, within) (cloud_servers_expiring{job=~\"cloud-platform-exporter.*\", within=\"1d\"}) > 0",
            "for": "15m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "critical",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Prepaid servers end soon and are not renewed.",
              "description": "{{ $value | humanize }} servers of project {{ $labels.project }} (domain {{ $labels.project_domain }}) in cloud {{ $labels.cloud }} end within {{ $labels.within }} and have no auto-renewal.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudserversexpiring"
            }
          },
          {
            "alert": "CloudServerExpired",
            "expr": "max without (instance, pod) (cloud_server_problem{job=~\"cloud-platform-exporter.*\", problem=\"expired\"}) > 0",
            "for": "15m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "A server has expired.",
              "description": "Server {{ $labels.name }} ({{ $labels.id }}) of project {{ $labels.project }} in cloud {{ $labels.cloud }} is past its end and may be deleted by the platform or its provider.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudserverexpired"
            }
          },
          {
            "alert": "CloudGpuHeldByStopped",
            "expr": "sum by (cloud, region, zone, project_domain, project, model) (\n  last_over_time(cloud_isolated_devices{job=~\"cloud-platform-exporter.*\", state=\"stopped\", dev_type=~\".*GPU.*|NPU\"}[15m])\n) > 0",
            "for": "24h",
            "labels": {
              "severity": "warning",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "Stopped servers hold GPUs.",
              "description": "Stopped servers of project {{ $labels.project }} (domain {{ $labels.project_domain }}) have long held {{ $value | humanize }} {{ $labels.model }} in zone {{ $labels.zone }} of cloud {{ $labels.cloud }}.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudgpuheldbystopped"
            }
          },
          {
            "alert": "CloudPendingDeletionPilesUp",
            "expr": "(sum by (cloud) (last_over_time(cloud_servers_pending_deletion{job=~\"cloud-platform-exporter.*\"}[15m])) >= 20) > 0.1 * cloud:cloud_servers:sum",
            "for": "6h",
            "labels": {
              "severity": "info",
              "concern": "fleet"
            },
            "annotations": {
              "summary": "The recycle bin of a cloud fills.",
              "description": "{{ $value | humanize }} servers of cloud {{ $labels.cloud }} wait in the recycle bin and still hold their disks.",
              "runbook_url": "https://example.com/cloud-platform-exporter/runbook.md#cloudpendingdeletionpilesup"
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
            "record": "cloud:cloud_servers:sum",
            "expr": "sum by (cloud) (cloud_servers{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_state:cloud_servers:sum",
            "expr": "sum by (cloud, state) (cloud_servers{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_hypervisor_state:cloud_servers:sum",
            "expr": "sum by (cloud, hypervisor, state) (cloud_servers{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_zone_state:cloud_servers:sum",
            "expr": "sum by (cloud, region, zone, state) (cloud_servers{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_zone:cloud_servers_vcpus:sum",
            "expr": "sum by (cloud, region, zone) (cloud_servers_vcpus{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_zone:cloud_servers_memory_bytes:sum",
            "expr": "sum by (cloud, region, zone) (cloud_servers_memory_bytes{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_zone:cloud_servers_disk_bytes:sum",
            "expr": "sum by (cloud, region, zone) (cloud_servers_disk_bytes{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_project_state:cloud_servers:sum",
            "expr": "sum by (cloud, project_domain, project, state) (cloud_servers{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_project:cloud_servers_vcpus:sum",
            "expr": "sum by (cloud, project_domain, project) (cloud_servers_vcpus{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_project:cloud_servers_memory_bytes:sum",
            "expr": "sum by (cloud, project_domain, project) (cloud_servers_memory_bytes{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_project:cloud_servers_disk_bytes:sum",
            "expr": "sum by (cloud, project_domain, project) (cloud_servers_disk_bytes{job=~\"cloud-platform-exporter.*\"})"
          },
          {
            "record": "cloud_project_state_model:cloud_isolated_devices:sum",
            "expr": "sum by (cloud, project_domain, project, state, dev_type, model) (\n  cloud_isolated_devices{job=~\"cloud-platform-exporter.*\"}\n)"
          },
          {
            "record": "cloud:cloud_exporter_collection_failures_per_collections:ratio_rate1h",
            "expr": "sum by (cloud) (rate(cloud_exporter_collection_failures_total{job=~\"cloud-platform-exporter.*\"}[1h])) / sum by (cloud) (rate(cloud_exporter_collections_total{job=~\"cloud-platform-exporter.*\"}[1h]))"
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
    'lifecycle.json': import '../lifecycle.json',
    'project.json': import '../project.json',
  },
}
