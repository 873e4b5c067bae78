{{/*
The text of a file of this chart that must hold a list under this key. Whoever fetches the chart without its files, or
with empty ones, would get neither alerts nor boards, and no error.
*/}}
{{- define "cloud-platform-exporter.file" -}}
{{- $text := .root.Files.Get .path -}}
{{- $content := dict -}}
{{- if hasSuffix ".json" .path -}}
{{- $content = fromJson $text -}}
{{- else -}}
{{- $content = fromYaml $text -}}
{{- end -}}
{{- $list := get $content .key -}}
{{- if not (and (kindIs "slice" $list) $list (kindIs "map" (first $list))) -}}
{{- fail (printf "\n\n%s of this chart is missing, empty or damaged (it has no `%s`): fetch the chart again, with all its files." .path .key) -}}
{{- end -}}
{{- $text -}}
{{- end -}}
