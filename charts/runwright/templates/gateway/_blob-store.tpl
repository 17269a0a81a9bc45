{{/* Fails where replicas of the gateway could not see each other's blobs, or a bucket is named by halves. */}}
{{- define "runwright.checkBlobStore" -}}
{{- $store := .Values.gateway.blobStore }}
{{- $claim := $store.directory.persistentVolumeClaim }}
{{- $autoscaling := .Values.gateway.autoscaling }}
{{- $replicas := int (ternary $autoscaling.maxReplicas .Values.gateway.replicas $autoscaling.enabled) }}
{{- $value := ternary "autoscaling.maxReplicas" "replicas" $autoscaling.enabled }}
{{- if eq $store.type "s3" }}
{{- if not $store.s3.bucket }}{{ fail "gateway.blobStore.s3.bucket must be set where gateway.blobStore.type is s3" }}{{ end }}
{{- if not $store.s3.credentialsSecretName }}{{ fail "gateway.blobStore.s3.credentialsSecretName must name a Secret where gateway.blobStore.type is s3" }}{{ end }}
{{- else if gt $replicas 1 }}
{{- if not (and (eq $store.directory.volume "persistentVolumeClaim") (has "ReadWriteMany" $claim.accessModes)) }}
{{- fail (printf "gateway.%s is %d, but replicas share blobs only with gateway.blobStore.type s3 or a persistentVolumeClaim with access mode ReadWriteMany" $value $replicas) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Name of the gateway's claim. */}}
{{- define "runwright.blobClaim" -}}
{{- .Values.gateway.blobStore.directory.persistentVolumeClaim.existingClaim | default (printf "%s-gateway-blobs" .Release.Name) }}
{{- end }}
