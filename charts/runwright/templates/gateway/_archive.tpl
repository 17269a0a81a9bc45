{{/* The archive's mode; auto is a file where the gateway has one replica whose blobs are on a claim, else none. */}}
{{- define "runwright.archiveMode" -}}
{{- $gateway := .Values.gateway }}
{{- $store := $gateway.blobStore }}
{{- $hasClaim := and (eq $store.type "directory") (eq $store.directory.volume "persistentVolumeClaim") }}
{{- $isOne := and (not $gateway.autoscaling.enabled) (le (int $gateway.replicas) 1) }}
{{- if ne .Values.archive.mode "auto" }}{{ .Values.archive.mode }}
{{- else if and $hasClaim $isOne }}embedded
{{- else }}none
{{- end }}
{{- end }}

{{/* Fails where the archive lacks what its mode needs, or several replicas would each have one. */}}
{{- define "runwright.checkArchive" -}}
{{- with .Values.archive }}
{{- if eq .mode "embedded" }}
{{- $autoscaling := $.Values.gateway.autoscaling }}
{{- if or $autoscaling.enabled (gt (int $.Values.gateway.replicas) 1) }}
{{- fail "archive.mode is embedded, a file that one gateway writes: set gateway.replicas to 1 and gateway.autoscaling.enabled to false, or archive.mode to postgresql" }}
{{- end }}
{{- else if eq .mode "postgresql" }}
{{- if not .postgresql.host }}{{ fail "archive.postgresql.host must name the server where archive.mode is postgresql" }}{{ end }}
{{- if not .postgresql.credentialsSecretName }}{{ fail "archive.postgresql.credentialsSecretName must name a Secret where archive.mode is postgresql" }}{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Name of the embedded archive's claim. */}}
{{- define "runwright.archiveClaim" -}}
{{- .Values.archive.embedded.persistentVolumeClaim.existingClaim | default (printf "%s-gateway-archive" .Release.Name) }}
{{- end }}
