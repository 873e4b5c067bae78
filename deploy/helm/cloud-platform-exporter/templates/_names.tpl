{{- define "cloud-platform-exporter.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/*
The name of everything. A Service must begin with a letter and have no dot, though a release may. It is cut to the
length of a Service's name once, here; what is put after it never is.
*/}}
{{- define "cloud-platform-exporter.fullname" -}}
{{- $name := include "cloud-platform-exporter.name" . -}}
{{- $full := printf "%s-%s" .Release.Name $name -}}
{{- if contains $name .Release.Name -}}
{{- $full = .Release.Name -}}
{{- end -}}
{{- $full = default $full .Values.fullnameOverride | toString | lower | replace "." "-" -}}
{{- if not (regexMatch "^[a-z]" $full) -}}
{{- $full = printf "release-%s" $full -}}
{{- end -}}
{{- regexReplaceAll "-+$" (trunc 63 $full) "" -}}
{{- end -}}

{{/* A StatefulSet puts a hash and an ordinal after its name, within the 63 characters of a label. */}}
{{- define "cloud-platform-exporter.statefulset" -}}
{{- $full := include "cloud-platform-exporter.fullname" . -}}
{{- if gt (len $full) 52 -}}
{{- $full = printf "%s-%s" (regexReplaceAll "-+$" (trunc 43 $full) "") (sha256sum $full | trunc 8) -}}
{{- end -}}
{{- $full -}}
{{- end -}}

{{- define "cloud-platform-exporter.headless" -}}
{{- include "cloud-platform-exporter.statefulset" . }}-shards
{{- end -}}

{{- define "cloud-platform-exporter.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride -}}
{{- end -}}

{{/* Where the exporter answers inside the cluster, of shards whichever. */}}
{{- define "cloud-platform-exporter.address" -}}
{{- printf "%s.%s.svc:%d" (include "cloud-platform-exporter.fullname" .) (include "cloud-platform-exporter.namespace" .) (int (default 10700 (default dict .Values.service).port)) -}}
{{- end -}}

{{/* Where a pod of the StatefulSet answers, behind its name. */}}
{{- define "cloud-platform-exporter.shardDomain" -}}
{{- printf "%s.%s.svc:10700" (include "cloud-platform-exporter.headless" .) (include "cloud-platform-exporter.namespace" .) -}}
{{- end -}}

{{- define "cloud-platform-exporter.serviceAccount" -}}
{{- $account := default dict .Values.serviceAccount -}}
{{- if $account.create -}}
{{- default (include "cloud-platform-exporter.fullname" .) $account.name -}}
{{- else -}}
{{- $account.name -}}
{{- end -}}
{{- end -}}

{{/* What a Service, a Deployment and a NetworkPolicy choose pods by. Kubernetes lets nobody change it later. */}}
{{- define "cloud-platform-exporter.selector" -}}
app.kubernetes.io/name: {{ include "cloud-platform-exporter.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "cloud-platform-exporter.labels" -}}
{{- $own := fromYaml (include "cloud-platform-exporter.stableLabels" .) -}}
{{- $_ := set $own "app.kubernetes.io/version" (.Chart.AppVersion | toString) -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") -}}
{{- toYaml $own -}}
{{- end -}}

{{/* Labels that no new version of the chart changes, so that it restarts no pod. */}}
{{- define "cloud-platform-exporter.stableLabels" -}}
{{- $own := fromYaml (include "cloud-platform-exporter.selector" .) -}}
{{- $_ := set $own "app.kubernetes.io/component" "exporter" -}}
{{- $_ := set $own "app.kubernetes.io/part-of" "cloud-platform-exporter" -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .Release.Service -}}
{{- $common := fromYaml (include "cloud-platform-exporter.given" (default dict .Values.commonLabels)) -}}
{{- toYaml (merge $own $common) -}}
{{- end -}}

{{/*
The head of an object: root, and where they are others than the chart's own its name and namespace; more labels and
annotations; and whether the Prometheus operator reads it, for kube-prometheus-stack takes only what has the label of
its release.
*/}}
{{- define "cloud-platform-exporter.metadata" -}}
{{- $root := .root -}}
{{- $labels := fromYaml (include "cloud-platform-exporter.given" (default dict .labels)) -}}
{{- if and .isOperated $root.Values.prometheusRelease -}}
{{- $labels = merge $labels (dict "release" $root.Values.prometheusRelease) -}}
{{- end -}}
{{- $selector := fromYaml (include (default "cloud-platform-exporter.selector" .selector) $root) -}}
{{- $annotations := fromYaml (include "cloud-platform-exporter.given" (default dict .annotations)) -}}
{{- $annotations = merge $annotations (fromYaml (include "cloud-platform-exporter.given" (default dict $root.Values.commonAnnotations))) -}}
metadata:
  name: {{ default (include "cloud-platform-exporter.fullname" $root) .name }}
  namespace: {{ default (include "cloud-platform-exporter.namespace" $root) .namespace }}
  labels:
    {{- toYaml (merge $selector $labels (fromYaml (include "cloud-platform-exporter.labels" $root))) | nindent 4 }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* A map without what is null, at every depth: for Kubernetes null is no value of a label, a port or a name. */}}
{{- define "cloud-platform-exporter.given" -}}
{{- $given := dict -}}
{{- range $key, $value := . -}}
{{- if kindIs "map" $value -}}
{{- $_ := set $given $key (fromYaml (include "cloud-platform-exporter.given" $value)) -}}
{{- else if not (kindIs "invalid" $value) -}}
{{- $_ := set $given $key $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $given -}}
{{- end -}}

{{/* The pod of `helm test` has another name, so that the Service does not take it for an exporter. */}}
{{- define "cloud-platform-exporter.testSelector" -}}
app.kubernetes.io/name: {{ printf "%s-test" (include "cloud-platform-exporter.name" . | trunc 58) | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}
