{{- define "cloud-platform-exporter.container" -}}
{{- $source := .source -}}
{{- $web := (default dict .root.Values.webConfig).secretName -}}
{{- with .root -}}
name: exporter
image: {{ include "cloud-platform-exporter.image" . | quote }}
imagePullPolicy: {{ default "IfNotPresent" (default dict .Values.image).pullPolicy }}
{{- with include "cloud-platform-exporter.arguments" (dict "root" . "source" $source) | fromYaml }}
{{- with .arguments }}
args:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- with .Values.extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
ports:
  - name: http
    containerPort: 10700
    protocol: TCP
{{- range $probe, $path := dict "startupProbe" "/-/healthy" "livenessProbe" "/-/healthy" "readinessProbe" "/-/ready" }}
{{- with include "cloud-platform-exporter.given" (default dict (index $.root.Values $probe)) | fromYaml }}
{{ $probe }}:
  {{- if not (or .httpGet .tcpSocket .exec .grpc) }}
  {{- if $web }}
  {{- /* Kubernetes has no password and no client certificate to show. */}}
  {{- $_ := set . "tcpSocket" (dict "port" "http") }}
  {{- else }}
  {{- $_ := set . "httpGet" (dict "path" $path "port" "http") }}
  {{- end }}
  {{- end }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- range $field := list "resources" "securityContext" }}
{{- with include "cloud-platform-exporter.given" (default dict (index $.root.Values $field)) | fromYaml }}
{{ $field }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- with include "cloud-platform-exporter.volumes" (dict "root" . "source" $source) | fromYaml }}
{{- with .mounts }}
volumeMounts:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}

{{- define "cloud-platform-exporter.arguments" -}}
{{- $arguments := list -}}
{{- if eq .source "demo" -}}
{{- $arguments = append $arguments "--demo" -}}
{{- else if ne .source "environment" -}}
{{- $arguments = append $arguments "--config.file=/etc/cloud-platform-exporter/clouds/clouds.yml" -}}
{{- end -}}
{{- if (default dict .root.Values.webConfig).secretName -}}
{{- $arguments = append $arguments "--web.config.file=/etc/cloud-platform-exporter/web/web.yml" -}}
{{- end -}}
{{- with .root.Values.externalUrl -}}
{{- $arguments = append $arguments (printf "--web.external-url=%s" .) -}}
{{- end -}}
{{- with int .root.Values.shards -}}
{{- $arguments = concat $arguments (list "--shard=auto" (printf "--total-shards=%d" .)) -}}
{{- end -}}
{{- range default list .root.Values.extraArgs -}}
{{- $arguments = append $arguments (toString .) -}}
{{- end -}}
{{- toYaml (dict "arguments" $arguments) -}}
{{- end -}}

{{/* Volumes and where they are mounted, side by side. 288 is 0440. */}}
{{- define "cloud-platform-exporter.volumes" -}}
{{- $volumes := list -}}
{{- $mounts := list -}}
{{- with .root -}}
{{- if eq $.source "clouds" -}}
{{- $volumes = append $volumes (dict "name" "clouds" "configMap" (dict "name" (include "cloud-platform-exporter.fullname" .))) -}}
{{- else if eq $.source "secret" -}}
{{- $secret := .Values.existingConfigSecret -}}
{{- $item := dict "key" (default "clouds.yml" $secret.key) "path" "clouds.yml" -}}
{{- $volumes = append $volumes (dict "name" "clouds" "secret" (dict "secretName" $secret.name "defaultMode" 288 "items" (list $item))) -}}
{{- end -}}
{{- if has $.source (list "clouds" "secret") -}}
{{- $mounts = append $mounts (dict "name" "clouds" "mountPath" "/etc/cloud-platform-exporter/clouds" "readOnly" true) -}}
{{- end -}}
{{- with (include "cloud-platform-exporter.secrets" . | fromYaml).sources -}}
{{- $volumes = append $volumes (dict "name" "secrets" "projected" (dict "defaultMode" 288 "sources" .)) -}}
{{- $mounts = append $mounts (dict "name" "secrets" "mountPath" "/run/secrets/cloud-platform-exporter" "readOnly" true) -}}
{{- end -}}
{{- with (default dict .Values.webConfig).secretName -}}
{{- $volumes = append $volumes (dict "name" "web" "secret" (dict "secretName" . "defaultMode" 288)) -}}
{{- $mounts = append $mounts (dict "name" "web" "mountPath" "/etc/cloud-platform-exporter/web" "readOnly" true) -}}
{{- end -}}
{{- $volumes = concat $volumes (default list .Values.extraVolumes) -}}
{{- $mounts = concat $mounts (default list .Values.extraVolumeMounts) -}}
{{- end -}}
{{- toYaml (dict "volumes" $volumes "mounts" $mounts) -}}
{{- end -}}
