{{- define "cloud-platform-exporter.scheme" -}}
{{- $web := default dict .Values.webConfig -}}
{{- or (not $web.secretName) (eq (toString $web.tls) "false") | ternary "http" "https" -}}
{{- end -}}

{{/* What a guarded door asks for, for each who comes to it. */}}
{{- define "cloud-platform-exporter.access" -}}
{{- $access := dict -}}
{{- range $field := list "tlsConfig" "basicAuth" -}}
{{- with include "cloud-platform-exporter.given" (default dict (index (default dict $.Values.serviceMonitor) $field)) | fromYaml -}}
{{- $_ := set $access $field . -}}
{{- end -}}
{{- end -}}
{{- toYaml $access -}}
{{- end -}}

{{/* Only a ServiceMonitor may name files of Prometheus; the operator would refuse the others in an event. */}}
{{- define "cloud-platform-exporter.withoutFiles" -}}
{{- range $field := list "caFile" "certFile" "keyFile" -}}
{{- if hasKey (default dict $.tlsConfig) $field -}}
{{- fail (printf "\n\nserviceMonitor.tlsConfig.%s: a %s cannot name files of Prometheus. Give `ca`, `cert` and `keySecret`, which name Secrets or ConfigMaps." $field $.kind) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A list of its own would take the place of the one that sets `job`, and no rule and no board would find the targets. */}}
{{- define "cloud-platform-exporter.appended" -}}
{{- range $field := list "relabelings" "metricRelabelings" -}}
{{- if hasKey $.given $field -}}
{{- fail (printf "\n\n%s.%s.%s: write it as %s.%s, which is appended to what the chart sets." $.of $.in $field $.of $field) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether each cloud is a target of its own: shards have more clouds than one answer should hold. */}}
{{- define "cloud-platform-exporter.byCloud" -}}
{{- $isWanted := (default dict .Values.scrapeConfig).enabled -}}
{{- if kindIs "invalid" $isWanted -}}
{{- $isWanted = and (int .Values.shards) (or (default dict .Values.serviceMonitor).enabled (default dict .Values.podMonitor).enabled) -}}
{{- end -}}
{{- if $isWanted -}}yes{{- end -}}
{{- end -}}

{{/* A Prometheus duration such as 1m30s in milliseconds. */}}
{{- define "cloud-platform-exporter.milliseconds" -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 "d" 86400000 "w" 604800000 "y" 31536000000 -}}
{{- $sum := 0 -}}
{{- range regexFindAll "[0-9]+(ms|[smhdwy])" . -1 -}}
{{- $unit := regexFind "[a-z]+" . -}}
{{- $sum = add $sum (mul (trimSuffix $unit . | int64) (get $units $unit)) -}}
{{- end -}}
{{- $sum -}}
{{- end -}}

{{/* Interval and timeout of a scrape. The operator would refuse a bad pair in an event that nobody reads. */}}
{{- define "cloud-platform-exporter.times" -}}
{{- with .times.interval }}
{{ $.intervalField }}: {{ . }}
{{- end }}
{{- with .times.scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
{{- if and .times.interval .times.scrapeTimeout }}
{{- $interval := include "cloud-platform-exporter.milliseconds" .times.interval | int64 }}
{{- if lt $interval (include "cloud-platform-exporter.milliseconds" .times.scrapeTimeout | int64) }}
{{- fail (printf "\n\n%s.scrapeTimeout (%s) is longer than %s.interval (%s): Prometheus allows no scrape to last longer than the time between two." .of .times.scrapeTimeout .of .times.interval) }}
{{- end }}
{{- end }}
{{- end -}}
