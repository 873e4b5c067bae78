{{/* The pod, for the Deployment and for the StatefulSet of the shards. */}}
{{- define "cloud-platform-exporter.pod" -}}
{{- $source := include "cloud-platform-exporter.source" . -}}
metadata:
  labels:
    {{- include "cloud-platform-exporter.podLabels" . | nindent 4 }}
  {{- $annotations := fromYaml (include "cloud-platform-exporter.given" (default dict .Values.podAnnotations)) }}
  {{- if eq $source "clouds" }}
  {{- /* A changed configuration starts a new pod. */}}
  {{- $_ := set $annotations "checksum/clouds" (include "cloud-platform-exporter.clouds" . | sha256sum) }}
  {{- end }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 15
  {{- with include "cloud-platform-exporter.serviceAccount" . }}
  serviceAccountName: {{ . | quote }}
  {{- end }}
  {{- with include "cloud-platform-exporter.pullSecrets" . | fromYaml }}
  {{- with .secrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- range $field := list "priorityClassName" "dnsPolicy" }}
  {{- with index $.Values $field }}
  {{ $field }}: {{ . | quote }}
  {{- end }}
  {{- end }}
  {{- $maps := dict "securityContext" .Values.podSecurityContext }}
  {{- range $field := list "nodeSelector" "affinity" "dnsConfig" }}
  {{- $_ := set $maps $field (index $.Values $field) }}
  {{- end }}
  {{- range $field, $value := $maps }}
  {{- with include "cloud-platform-exporter.given" (default dict $value) | fromYaml }}
  {{ $field }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- $lists := pick .Values "tolerations" "hostAliases" "initContainers" }}
  {{- $spread := list }}
  {{- range .Values.topologySpreadConstraints }}
  {{- $selector := dict "labelSelector" (dict "matchLabels" (fromYaml (include "cloud-platform-exporter.selector" $))) }}
  {{- $spread = append $spread (hasKey . "labelSelector" | ternary . (merge $selector .)) }}
  {{- end }}
  {{- $_ := set $lists "topologySpreadConstraints" $spread }}
  {{- range $field, $list := $lists }}
  {{- with $list }}
  {{ $field }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  containers:
    - {{- include "cloud-platform-exporter.container" (dict "root" . "source" $source) | nindent 6 }}
    {{- with .Values.sidecars }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with include "cloud-platform-exporter.volumes" (dict "root" . "source" $source) | fromYaml }}
  {{- with .volumes }}
  volumes:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end -}}

{{/* The version is that of the image: a new chart alone changes nothing here. */}}
{{- define "cloud-platform-exporter.podLabels" -}}
{{- $image := default dict .Values.image -}}
{{- $own := fromYaml (include "cloud-platform-exporter.stableLabels" .) -}}
{{- if not $image.digest -}}
{{- $tag := default .Chart.AppVersion $image.tag | toString | trunc 63 -}}
{{- $_ := set $own "app.kubernetes.io/version" (regexReplaceAll "^[^A-Za-z0-9]+|[^A-Za-z0-9]+$" $tag "") -}}
{{- end -}}
{{- $more := fromYaml (include "cloud-platform-exporter.given" (default dict .Values.podLabels)) -}}
{{- $selector := fromYaml (include "cloud-platform-exporter.selector" .) -}}
{{- toYaml (merge $selector $more $own) -}}
{{- end -}}

{{- define "cloud-platform-exporter.image" -}}
{{- $image := default dict .Values.image -}}
{{- $repository := default .Chart.Name $image.repository -}}
{{- with (default dict .Values.global).imageRegistry -}}{{- $repository = printf "%s/%s" (trimSuffix "/" .) $repository -}}{{- end -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (default .Chart.AppVersion $image.tag | toString) -}}
{{- end -}}
{{- end -}}

{{/* A global pull secret may be a bare name, as other charts have it. */}}
{{- define "cloud-platform-exporter.pullSecrets" -}}
{{- $secrets := list -}}
{{- range default (default dict .Values.global).imagePullSecrets (default dict .Values.image).pullSecrets -}}
{{- $secrets = append $secrets (kindIs "string" . | ternary (dict "name" .) .) -}}
{{- end -}}
{{- toYaml (dict "secrets" $secrets) -}}
{{- end -}}
