{{/*
The groups of each rule file, as the values want them. A threshold is a recorded constant that the alerts read, so
another value is another expression of that record.
*/}}
{{- define "cloud-platform-exporter.rules" -}}
{{- $wanted := fromYaml (include "cloud-platform-exporter.given" (default dict .Values.prometheusRule)) -}}
{{- $thresholds := default dict $wanted.thresholds -}}
{{- $disabled := default list $wanted.disabled -}}
{{- if not $wanted.watchdog -}}
{{- $disabled = append $disabled "CloudWatchdog" -}}
{{- end -}}
{{- $exporter := default (printf "%s://%s" (include "cloud-platform-exporter.scheme" .) (include "cloud-platform-exporter.address" .)) .Values.externalUrl -}}
{{- $runbook := default (printf "%s/runbook" (trimSuffix "/" $exporter)) $wanted.runbookBase -}}
{{- $known := dict "groups" list "thresholds" list "alerts" list -}}
{{- $files := dict -}}
{{- range $file := list "alerts" "recording" "thresholds" -}}
{{- $text := include "cloud-platform-exporter.file" (dict "root" $ "path" (printf "files/rules/%s.yml" $file) "key" "groups") -}}
{{- $groups := list -}}
{{- range $group := (fromYaml $text).groups -}}
{{- $_ := set $known "groups" (append $known.groups .name) -}}
{{- $rules := list -}}
{{- $seen := list -}}
{{- range .rules -}}
{{- $name := trimPrefix "cloud:threshold:" (toString .record) -}}
{{- if .alert -}}
{{- $_ := set $known "alerts" (append $known.alerts .alert) -}}
{{- include "cloud-platform-exporter.changedAlert" (dict "rule" . "change" (get (default dict $wanted.alerts) .alert) "runbook" $runbook) -}}
{{- else if ne $name .record -}}
{{- $_ := set $known "thresholds" (append $known.thresholds $name) -}}
{{- if hasKey $thresholds $name -}}
{{- $_ := set . "expr" (printf "vector(%v)" (get $thresholds $name)) -}}
{{- end -}}
{{- end -}}
{{- /* An alert of two severities that is given one would be there twice. */ -}}
{{- $key := toJson (pick . "alert" "record" "expr" "labels") -}}
{{- if not (or (has .alert $disabled) (has $key $seen)) -}}
{{- $rules = append $rules . -}}
{{- $seen = append $seen $key -}}
{{- end -}}
{{- end -}}
{{- if and $rules (ne (get (default dict $wanted.groups) .name | toString) "false") -}}
{{- $groups = append $groups (set $group "rules" $rules) -}}
{{- end -}}
{{- end -}}
{{- if $groups -}}
{{- $_ := set $files $file $groups -}}
{{- end -}}
{{- end -}}
{{- range $value, $names := dict "groups" (default dict $wanted.groups | keys) "thresholds" (keys $thresholds) "alerts" (default dict $wanted.alerts | keys) "disabled" $disabled -}}
{{- $kind := get (dict "groups" "groups" "thresholds" "thresholds") $value | default "alerts" -}}
{{- range $names -}}
{{- if not (has . (get $known $kind)) -}}
{{- fail (printf "\n\nprometheusRule.%s.%s: there is no such %s. Known: %s" $value . (trimSuffix "s" $kind) (get $known $kind | uniq | sortAlpha | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with $wanted.extraRules -}}
{{- $_ := set $files "extra" . -}}
{{- end -}}
{{- toYaml $files -}}
{{- end -}}

{{/* Writes into an alert what the values change of it, and where its runbook is. */}}
{{- define "cloud-platform-exporter.changedAlert" -}}
{{- $rule := .rule -}}
{{- $change := default dict .change -}}
{{- $labels := merge (pick $change "severity") (default dict $change.labels) $rule.labels -}}
{{- $_ := set $rule "labels" $labels -}}
{{- with $change.for -}}
{{- $_ := set $rule "for" . -}}
{{- end -}}
{{- /* Not asked of Prometheus, as in the plain files: the link is the same when nothing is scraped. */ -}}
{{- if $rule.annotations.runbook_url -}}
{{- $between := regexMatch "[#/=]$" .runbook | ternary "" "#" -}}
{{- $_ := set $rule.annotations "runbook_url" (printf "%s%s%s" .runbook $between $rule.alert) -}}
{{- end -}}
{{- end -}}
