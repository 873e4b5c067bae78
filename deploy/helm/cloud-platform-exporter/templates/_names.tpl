{{- define "exporter.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "exporter.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "exporter.labels" -}}
{{ include "exporter.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The file that the exporter reads: each cloud's settings, and for each of its secrets the file that holds it. */}}
{{- define "exporter.clouds" -}}
clouds:
{{- range $cloud, $given := .Values.clouds }}
  {{ $cloud | quote }}:
    {{- toYaml $given.settings | nindent 4 }}
    {{- range $setting, $secret := $given.secrets }}
    {{ $setting }}{{ if not (has $setting (list "cacert" "cert" "key")) }}_file{{ end }}: /run/secrets/cloud-platform-exporter/{{ $cloud }}/{{ $setting }}
    {{- end }}
{{- end }}
{{- end -}}
