{{/* Variables of one process that the chart sets. Takes what runwright.deployment takes. */}}
{{- define "runwright.environment" -}}
{{- $root := .root -}}
- name: POD_NAME
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- name: POD_UID
  valueFrom: {fieldRef: {fieldPath: metadata.uid}}
- name: POD_IP
  valueFrom: {fieldRef: {fieldPath: status.podIP}}
- {name: RUNWRIGHT_NAMESPACE, value: {{ $root.Release.Namespace | quote }}}
- {name: RUNWRIGHT_RELEASE, value: {{ $root.Release.Name | quote }}}
- {name: RUNWRIGHT_KEYS_NAMESPACE, value: {{ include "runwright.keysNamespace" $root | quote }}}
- {name: RUNWRIGHT_SESSIONS_NAMESPACE, value: {{ include "runwright.sessionsNamespace" $root | quote }}}
{{- if $root.Values.connector.enabled }}
- {name: RUNWRIGHT_TOKENS_NAMESPACE, value: {{ include "runwright.tokensNamespace" $root | quote }}}
- {name: RUNWRIGHT_CONNECTOR, value: enabled}
{{- end }}
{{- with $root.Values.watchNamespaces }}
- {name: RUNWRIGHT_WATCH_NAMESPACES, value: {{ join "," . | quote }}}
{{- end }}
- {name: LOG_LEVEL, value: {{ $root.Values.settings.logLevel | quote }}}
{{- range $name, $value := .env }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- range $name, $from := .secretEnv }}
- name: {{ $name }}
  valueFrom: {secretKeyRef: {name: {{ $from.secret | quote }}, key: {{ $from.key }}}}
{{- end }}
{{- end }}
