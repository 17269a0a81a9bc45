{{/* Where a rule of a NetworkPolicy leads; nothing where no peer is named, which is anywhere. Below ports of four spaces. */}}
{{- define "runwright.peersTo" -}}
{{- with . }}
    to:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end }}

{{- define "runwright.dnsRule" -}}
- ports:
  - {protocol: UDP, port: 53}
  - {protocol: TCP, port: 53}
  # Where OpenShift's DNS listens; a policy judges by the port of the pod.
  - {protocol: UDP, port: 5353}
  - {protocol: TCP, port: 5353}
  to:
  {{- toYaml .Values.networkPolicy.dnsTo | nindent 2 }}
{{- end }}
