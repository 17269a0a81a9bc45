{{/* Names that must be unique in the cluster carry the release's namespace too. */}}
{{- define "runwright.clusterName" -}}
{{ .Release.Namespace }}-{{ .Release.Name }}
{{- end }}

{{- define "runwright.keysNamespace" -}}
{{- include "runwright.privateNamespace" (dict "name" .Values.keysNamespace.name "value" "keysNamespace" "suffix" "keys" "root" .) }}
{{- end }}

{{- define "runwright.sessionsNamespace" -}}
{{- include "runwright.privateNamespace" (dict "name" .Values.sessionsNamespace.name "value" "sessionsNamespace" "suffix" "sessions" "root" .) }}
{{- end }}

{{- define "runwright.tokensNamespace" -}}
{{- include "runwright.privateNamespace" (dict "name" .Values.tokensNamespace.name "value" "tokensNamespace" "suffix" "tokens" "root" .) }}
{{- end }}

{{/* The processes of the release, with spaces between them. */}}
{{- define "runwright.processes" -}}
controller ingress gateway{{ if .Values.connector.enabled }} connector{{ end }}
{{- end }}

{{- define "runwright.privateNamespace" -}}
{{- $name := .name | default (printf "%s-%s" (include "runwright.clusterName" .root) .suffix) }}
{{- if gt (len $name) 63 }}
{{- fail (printf "the namespace %s has %d characters, more than 63: set %s.name to a shorter one" $name (len $name) .value) }}
{{- end }}
{{- $name }}
{{- end }}

{{- define "runwright.labels" -}}
{{- include "runwright.labelsBeside" (dict "root" .) }}
{{- end }}

{{/* Labels of an object for which values name some of its own, before which the common ones yield. Takes {root, own}. */}}
{{- define "runwright.labelsBeside" -}}
{{- with .root -}}
app.kubernetes.io/name: runwright
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}
{{- with mergeOverwrite dict (.root.Values.commonLabels | default dict) (.own | default dict) }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What selects the pods of one process. Takes {root, process}. */}}
{{- define "runwright.selector" -}}
app.kubernetes.io/name: runwright
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .process }}
{{- end }}

{{/* Takes {image, root}. */}}
{{- define "runwright.image" -}}
{{- if .image.digest -}}
{{ .image.repository }}@{{ .image.digest }}
{{- else -}}
{{ .image.repository }}:{{ .image.tag | default .root.Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* The image of sandboxes: that of its values, beside the operator's where they name no repository. */}}
{{- define "runwright.sandboxImage" -}}
{{- $image := .Values.sandbox.image }}
{{- $repository := $image.repository | default (printf "%s-sandbox" .Values.image.repository) }}
{{- include "runwright.image" (dict "image" (merge (dict "repository" $repository) $image) "root" .) }}
{{- end }}

{{- define "runwright.firstRunNamespace" -}}
{{ .Values.watchNamespaces | default (list "first-run") | first }}
{{- end }}

{{- define "runwright.baseURL" -}}
{{- if .Values.baseURL -}}
{{ .Values.baseURL }}
{{- else if .Values.webhook.hosts -}}
https://{{ first .Values.webhook.hosts }}
{{- else -}}
http://{{ .Release.Name }}-ingress.{{ .Release.Namespace }}.svc{{ eq (int .Values.ingress.service.port) 80 | ternary "" (printf ":%d" (int .Values.ingress.service.port)) }}
{{- end }}
{{- end }}

{{/* The port of a URL, or the one that its scheme stands for. */}}
{{- define "runwright.port" -}}
{{- $url := urlParse . }}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "80" "443" (eq $url.scheme "http")) }}
{{- end }}

{{/* Variables of the processes that export traces, where an endpoint is set. */}}
{{- define "runwright.tracing" -}}
{{- with .Values.tracing }}
{{- if .endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ .endpoint | quote }}
OTEL_TRACES_SAMPLER: {{ .sampler }}
OTEL_TRACES_SAMPLER_ARG: {{ .ratio | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/*
Has service meshes leave a pod out: our processes speak TLS to each other and to sandboxes themselves, and a proxy that starts behind them or
goes before them keeps them from the API server (docs/adr/0153). What the values say counts. Takes {root, process, own}.
*/}}
{{- define "runwright.podLabels" -}}
{{- $outsideMesh := dict "sidecar.istio.io/inject" "false" "istio.io/dataplane-mode" "none" "kuma.io/sidecar-injection" "disabled" }}
{{- $own := mergeOverwrite $outsideMesh (.root.Values.commonLabels | default dict) (.own | default dict) }}
{{- include "runwright.labelsBeside" (dict "root" .root "own" $own) }}
app.kubernetes.io/component: {{ .process }}
{{- end }}

{{- define "runwright.outsideMeshAnnotations" -}}
{{- toYaml (mergeOverwrite (dict "linkerd.io/inject" "disabled" "consul.hashicorp.com/connect-inject" "false") (. | default dict)) }}
{{- end }}
