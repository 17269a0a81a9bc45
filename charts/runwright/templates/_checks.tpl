{{- define "runwright.checkImage" -}}
{{- if not .Values.image.repository }}
{{- fail "image.repository is empty, since this chart is of a checkout and not of a release: set it to where you pushed the operator's image, such as registry.example.com/runwright" }}
{{- end }}
{{- end }}

{{/* Roles of one name lie in each of the four namespaces, and what may be read in one must not be in another. */}}
{{- define "runwright.checkNamespaces" -}}
{{- $keys := include "runwright.keysNamespace" . }}
{{- $sessions := include "runwright.sessionsNamespace" . }}
{{- $tokens := include "runwright.tokensNamespace" . }}
{{- if eq $keys $sessions }}
{{- fail (printf "keysNamespace.name and sessionsNamespace.name are both %q, but keys and sessions each need a namespace of their own: give one another name, or leave both empty" $keys) }}
{{- end }}
{{- if or (eq $tokens $keys) (eq $tokens $sessions) }}
{{- fail (printf "tokensNamespace.name is %q, which keys or sessions have, but tokens need a namespace of their own: give it another name, or leave it empty" $tokens) }}
{{- end }}
{{- range $value, $name := dict "keysNamespace.name" $keys "sessionsNamespace.name" $sessions "tokensNamespace.name" $tokens }}
{{- if eq $name $.Release.Namespace }}
{{- fail (printf "%s is %q, the release's own namespace, but it must be another one: name one that holds nothing else, or leave it empty" $value $name) }}
{{- end }}
{{- end }}
{{- end }}

{{/* As the controller refuses its variables; what is left out is built in, and bounded where sessions get it. */}}
{{- define "runwright.checkChildSessions" -}}
{{- $atOnce := .Values.settings.maxConcurrentChildSessions }}
{{- $inAll := .Values.settings.maxTotalChildSessions }}
{{- if and (not (kindIs "invalid" $atOnce)) (not (kindIs "invalid" $inAll)) }}
{{- if gt (int $atOnce) (int $inAll) }}
{{- fail (printf "settings.maxConcurrentChildSessions is %d, but it must be at most settings.maxTotalChildSessions, %d" (int $atOnce) (int $inAll)) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "runwright.checkMetrics" -}}
{{- if and .Values.podMonitor.enabled .Values.networkPolicy.enabled (not .Values.networkPolicy.metricsFrom) }}
{{- fail "podMonitor.enabled is true, but networkPolicy.metricsFrom is empty, so that network policies keep Prometheus out: name where it runs there, such as [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]" }}
{{- end }}
{{- end }}

{{- define "runwright.checkPorts" -}}
{{- with .Values.gateway.service }}
{{- if eq (int .sandboxPort) (int .peoplePort) }}
{{- fail (printf "gateway.service.sandboxPort and gateway.service.peoplePort are both %d, but they are ports of one Service: give one another number" (int .sandboxPort)) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "runwright.checkWeb" -}}
{{- with .Values.web }}
{{- if and .oidc.issuer (not .oidc.clientID) }}
{{- fail "web.oidc.issuer is set, but web.oidc.clientID is empty: name the client that the issuer knows" }}
{{- end }}
{{- if and .oidc.issuer (not .url) }}
{{- fail "web.oidc.issuer is set, but web.url is empty: say where people have the page, such as https://runwright.example.com, since the issuer sends them back there" }}
{{- end }}
{{- if and (not .oidc.issuer) (not .tokenSignIn) }}
{{- fail "web.tokenSignIn is false and web.oidc.issuer is empty, so no person could sign in: set one of them" }}
{{- end }}
{{- end }}
{{- end }}

{{/* The chart selects pods, and the API server judges those of its namespaces, by labels that the chart sets itself. */}}
{{- define "runwright.checkLabels" -}}
{{- $given := dict "commonLabels" .Values.commonLabels }}
{{- range $process := list "controller" "ingress" "gateway" "connector" "web" }}
{{- $_ := set $given (printf "%s.podLabels" $process) (index $.Values $process).podLabels }}
{{- end }}
{{- range $object := list "podMonitor" "prometheusRule" "dashboard" }}
{{- $_ := set $given (printf "%s.labels" $object) (index $.Values $object).labels }}
{{- end }}
{{- range $value, $labels := $given }}
{{- $own := list "helm.sh/chart" "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/version" "app.kubernetes.io/component" "app.kubernetes.io/managed-by" }}
{{- if eq $value "commonLabels" }}
{{- $own = append $own "pod-security.kubernetes.io/enforce" }}
{{- end }}
{{- range $label := $own }}
{{- if hasKey ($labels | default dict) $label }}
{{- fail (printf "%s has %s, which the chart sets itself: take it out, or give it another name" $value $label) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Names that a pod may have once, of what values put beside the chart's own. Takes what runwright.deployment takes. */}}
{{- define "runwright.checkExtra" -}}
{{- $values := index .root.Values .process }}
{{- $variables := list }}
{{- range include "runwright.environment" . | fromYamlArray }}
{{- $variables = append $variables .name }}
{{- end }}
{{- $volumes := list }}
{{- $paths := list }}
{{- range .volumes }}
{{- $volumes = append $volumes .volume.name }}
{{- $paths = append $paths .mountPath }}
{{- end }}
{{- include "runwright.checkOnce" (dict "value" (printf "%s.extraEnv" .process) "key" "name" "own" $variables "extra" $values.extraEnv) }}
{{- include "runwright.checkOnce" (dict "value" (printf "%s.extraVolumes" .process) "key" "name" "own" $volumes "extra" $values.extraVolumes) }}
{{- include "runwright.checkOnce" (dict "value" (printf "%s.extraVolumeMounts" .process) "key" "mountPath" "own" $paths "extra" $values.extraVolumeMounts) }}
{{- end }}

{{- define "runwright.checkOnce" -}}
{{- $seen := list }}
{{- range $at, $entry := .extra }}
{{- $name := index $entry $.key }}
{{- if has $name $.own }}
{{- fail (printf "%s[%d].%s is %s, which the chart sets itself: take it out, or give it another name" $.value $at $.key $name) }}
{{- end }}
{{- if has $name $seen }}
{{- fail (printf "%s[%d].%s is %s, which an entry before it has: leave one of them" $.value $at $.key $name) }}
{{- end }}
{{- $seen = append $seen $name }}
{{- end }}
{{- end }}
