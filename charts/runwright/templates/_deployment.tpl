{{/*
The Deployment of one process. Takes {root, process, ports: {name: number}, env: {name: value}, drainSeconds} and, where
it has them, {secretEnv: {name: {secret, key}}, volumes: [{volume, mountPath}], fsGroup, recreate, withoutToken};
drainSeconds is how long a pod that is going away still takes connections, until every node has heard of it, and recreate
that an old pod ends before a new one starts, since they cannot share a volume; withoutToken that it has no token of the
cluster and one replica.
*/}}
{{- define "runwright.deployment" -}}
{{- $root := .root }}
{{- $values := index $root.Values .process }}
{{- include "runwright.checkExtra" . }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $root.Release.Name }}-{{ .process }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "runwright.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .process }}
spec:
  {{- if .withoutToken }}
  replicas: 1
  {{- else if not (and $values.autoscaling $values.autoscaling.enabled) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  strategy:
    {{- if .recreate }}
    type: Recreate
    {{- else }}
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
    {{- end }}
  selector:
    matchLabels:
      {{- include "runwright.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "runwright.podLabels" (dict "root" $root "process" .process "own" $values.podLabels) | nindent 8 }}
      annotations:
        {{- include "runwright.outsideMeshAnnotations" $values.podAnnotations | nindent 8 }}
    spec:
      serviceAccountName: {{ $root.Release.Name }}-{{ .process }}
      {{- if .withoutToken }}
      automountServiceAccountToken: false
      {{- end }}
      enableServiceLinks: false
      terminationGracePeriodSeconds: 45
      securityContext:
        runAsNonRoot: true
        seccompProfile: {type: RuntimeDefault}
        {{- with .fsGroup }}
        fsGroup: {{ . }}
        fsGroupChangePolicy: OnRootMismatch
        {{- end }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
      {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
      - topologyKey: {{ . }}
        maxSkew: 1
        whenUnsatisfiable: ScheduleAnyway
        labelSelector:
          matchLabels:
            {{- include "runwright.selector" $ | nindent 12 }}
      {{- end }}
      {{- with $values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.priorityClassName }}
      priorityClassName: {{ . | quote }}
      {{- end }}
      containers:
      - name: {{ .process }}
        image: {{ include "runwright.image" (dict "image" $root.Values.image "root" $root) | quote }}
        imagePullPolicy: {{ $root.Values.image.pullPolicy }}
        args: [{{ .process }}]
        env:
        {{- include "runwright.environment" . | nindent 8 }}
        {{- with $values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        ports:
        {{- range $name, $number := .ports }}
        - {name: {{ $name }}, containerPort: {{ $number }}}
        {{- end }}
        - {name: observability, containerPort: 9090}
        startupProbe:
          httpGet: {path: /livez, port: observability}
          periodSeconds: 1
          failureThreshold: 60
        livenessProbe:
          httpGet: {path: /livez, port: observability}
          periodSeconds: 10
          failureThreshold: 3
        readinessProbe:
          httpGet: {path: /readyz, port: observability}
          periodSeconds: 2
          failureThreshold: 2
        {{- if .drainSeconds }}
        lifecycle:
          preStop: {sleep: {seconds: {{ .drainSeconds }}}}
        {{- end }}
        resources:
          {{- toYaml $values.resources | nindent 10 }}
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities: {drop: [ALL]}
        {{- if or .volumes $values.extraVolumeMounts }}
        volumeMounts:
        {{- range .volumes }}
        - {name: {{ .volume.name }}, mountPath: {{ .mountPath }}}
        {{- end }}
        {{- with $values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- end }}
      {{- if or .volumes $values.extraVolumes }}
      volumes:
      {{- range .volumes }}
      - {{- toYaml .volume | nindent 8 }}
      {{- end }}
      {{- with $values.extraVolumes }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
      {{- end }}
{{- end }}
