{{/* The file that the exporter reads: each cloud's settings, and for each of its secrets the file that holds it. */}}
{{- define "cloud-platform-exporter.clouds" -}}
{{- $clouds := dict -}}
{{- range $cloud, $given := default dict .Values.clouds -}}
{{- $given = default dict $given -}}
{{- $settings := fromYaml (include "cloud-platform-exporter.given" (default dict $given.settings)) -}}
{{- range list "password" "token" "access_key" "secret_key" "cas_ticket" -}}
{{- if hasKey $settings . -}}
{{- fail (printf "\n\nclouds.%s.settings.%s: a secret must not stand in values, for Helm keeps these in the cluster and prints them.\nPut it into a Secret and say which:\n\n  kubectl --namespace %s create secret generic cloud-%s --from-file=%s\n\n  clouds:\n    %s:\n      secrets:\n        %s: { name: cloud-%s, key: %s }\n" $cloud . (include "cloud-platform-exporter.namespace" $) $cloud . $cloud . $cloud .) -}}
{{- end -}}
{{- end -}}
{{- range $setting, $secret := default dict $given.secrets -}}
{{- if $secret -}}
{{- $key := has $setting (list "cacert" "cert" "key") | ternary $setting (printf "%s_file" $setting) -}}
{{- $_ := set $settings $key (printf "/run/secrets/cloud-platform-exporter/%s/%s" $cloud $setting) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $clouds $cloud $settings -}}
{{- end -}}
{{- toYaml (dict "clouds" $clouds) -}}
{{- end -}}

{{/* Each secret as a source of a projected volume. */}}
{{- define "cloud-platform-exporter.secrets" -}}
{{- $sources := list -}}
{{- range $cloud, $given := default dict .Values.clouds -}}
{{- range $setting, $secret := default dict (default dict $given).secrets -}}
{{- if $secret -}}
{{- $item := dict "key" $secret.key "path" (printf "%s/%s" $cloud $setting) -}}
{{- $sources = append $sources (dict "secret" (dict "name" $secret.name "items" (list $item))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml (dict "sources" $sources) -}}
{{- end -}}

{{/* Where the exporter learns of its clouds: clouds, secret, environment or demo. Nothing is an answer that fails. */}}
{{- define "cloud-platform-exporter.source" -}}
{{- if eq (toString .Values.enabled) "false" -}}
{{- fail "\n\nenabled: false does nothing here: it is for the `condition` of a chart around this one. Take it out, or uninstall the release." -}}
{{- end -}}
{{- $secret := (default dict .Values.existingConfigSecret).name -}}
{{- $byVariables := false -}}
{{- range default list .Values.extraEnv -}}
{{- if hasPrefix "OS_" (toString .name) -}}{{- $byVariables = true -}}{{- end -}}
{{- end -}}
{{- if and .Values.clouds $secret -}}
{{- fail "\n\nclouds and existingConfigSecret are both given: choose one." -}}
{{- else if .Values.clouds -}}clouds
{{- else if $secret -}}secret
{{- else if $byVariables -}}environment
{{- else if .Values.demo -}}demo
{{- else if .Values.envFrom -}}environment
{{- else -}}
{{- fail "\n\nNo cloud is configured. Set `clouds` (see the README of the chart), `existingConfigSecret`, or OS_AUTH_URL and the others in `extraEnv` or `envFrom`.\nTo see a simulated cloud first: --set demo=true" -}}
{{- end -}}
{{- end -}}

{{/* The ports of every address that a setting or a variable names, and whether some addresses stand elsewhere. */}}
{{- define "cloud-platform-exporter.ports" -}}
{{- $addresses := list -}}
{{- $isComplete := not (or (default dict .Values.existingConfigSecret).name .Values.envFrom) -}}
{{- range default dict .Values.clouds -}}
{{- $settings := default dict (default dict .).settings -}}
{{- $addresses = concat $addresses (list $settings.auth_url $settings.base_url $settings.proxy_url) -}}
{{- end -}}
{{- range default list .Values.extraEnv -}}
{{- if has (toString .name | upper) (list "OS_AUTH_URL" "CLOUD_BASE_URL" "HTTPS_PROXY" "HTTP_PROXY") -}}
{{- $addresses = append $addresses .value -}}
{{- if not .value -}}{{- $isComplete = false -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $ports := list -}}
{{- range compact $addresses -}}
{{- $address := urlParse (contains "://" . | ternary . (printf "http://%s" .)) -}}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" $address.host) -}}
{{- $ports = append $ports (int (default (eq $address.scheme "https" | ternary "443" "80") $port)) -}}
{{- end -}}
{{- range default list (default dict .Values.networkPolicy).platformPorts -}}
{{- $ports = append $ports (int .) -}}
{{- end -}}
{{- toYaml (dict "ports" (uniq $ports) "isComplete" $isComplete) -}}
{{- end -}}
