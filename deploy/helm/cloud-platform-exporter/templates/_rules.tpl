{{/*
The groups of each rule file, as the values want them. A threshold is a recorded constant that the alerts read, so
another value is another expression of that record.
*/}}
{{- define "cloud-platform-exporter.rules" -}}
{{- $wanted := default dict .Values.prometheusRule -}}
{{- $thresholds := fromYaml (include "cloud-platform-exporter.given" (default dict $wanted.thresholds)) -}}
{{- $switches := fromYaml (include "cloud-platform-exporter.given" (default dict $wanted.groups)) -}}
{{- $knownGroups := list -}}
{{- $knownThresholds := list -}}
{{- $files := dict -}}
{{- range $path, $_ := .Files.Glob "files/rules/*.yml" -}}
{{- $groups := list -}}
{{- range ($.Files.Get $path | fromYaml).groups -}}
{{- $group := . -}}
{{- $knownGroups = append $knownGroups .name -}}
{{- range .rules -}}
{{- if hasPrefix "cloud:threshold:" (toString .record) -}}
{{- $name := trimPrefix "cloud:threshold:" .record -}}
{{- $knownThresholds = append $knownThresholds $name -}}
{{- if hasKey $thresholds $name -}}
{{- $_ := set . "expr" (printf "vector(%v)" (get $thresholds $name)) -}}
{{- end -}}
{{- end -}}
{{- if and $wanted.runbookBase (default dict .annotations).runbook_url -}}
{{- $anchor := regexFind "[^#/]+$" .annotations.runbook_url -}}
{{- $between := regexMatch "[#/=]$" $wanted.runbookBase | ternary "" "#" -}}
{{- $_ := set .annotations "runbook_url" (printf "%s%s%s" $wanted.runbookBase $between $anchor) -}}
{{- end -}}
{{- end -}}
{{- if ne (get $switches .name | toString) "false" -}}
{{- $groups = append $groups $group -}}
{{- end -}}
{{- end -}}
{{- if $groups -}}
{{- $_ := set $files (base $path | trimSuffix ".yml") $groups -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := $switches -}}
{{- if not (has $name $knownGroups) -}}
{{- fail (printf "\n\nprometheusRule.groups.%s: there is no such group. Known: %s" $name (sortAlpha $knownGroups | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := $thresholds -}}
{{- if not (has $name $knownThresholds) -}}
{{- fail (printf "\n\nprometheusRule.thresholds.%s: there is no such threshold. Known: %s" $name (default "none" (sortAlpha $knownThresholds | join ", "))) -}}
{{- end -}}
{{- end -}}
{{- with $wanted.extraRules -}}
{{- $_ := set $files "extra" . -}}
{{- end -}}
{{- toYaml $files -}}
{{- end -}}
