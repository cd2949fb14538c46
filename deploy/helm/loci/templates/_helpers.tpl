{{/* Names are at most 50 characters, so that "-worker-<role>" fits. */}}
{{- define "loci.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "loci.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "loci.labels" -}}
{{ include "loci.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "loci.image" -}}
{{- $repository := required "Set image.repository to the image that you have built from the Dockerfile of Loci." .Values.image.repository -}}
{{ printf "%s:%s" $repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
{{- end -}}

{{- define "loci.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "loci.name" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end -}}

{{/* Blobs are in S3, and the pods need no shared volume. */}}
{{- define "loci.usesS3" -}}
{{- if eq (toString (get .Values.settings "LOCI_BLOB_STORE")) "s3" }}true{{ end -}}
{{- end -}}

{{/* Names under which /mcp is reached: those of the Service, the host of the Ingress, and those of the setting. */}}
{{- define "loci.mcpHosts" -}}
{{- $namespace := printf "%s.%s" .name .root.Release.Namespace -}}
{{- $hosts := list .name $namespace (printf "%s.svc" $namespace) (printf "%s.svc.cluster.local" $namespace) -}}
{{- if .root.Values.ingress.enabled }}{{ $hosts = append $hosts .root.Values.ingress.host }}{{ end -}}
{{- if kindIs "slice" .more }}{{ $hosts = concat $hosts .more }}{{ else }}{{ $hosts = append $hosts .more }}{{ end -}}
{{- $hosts | compact | join "," -}}
{{- end -}}

{{/* Environment variables of settings that are not empty; secrets are refused, because everybody may read them here. */}}
{{- define "loci.settings" -}}
{{- range $name, $value := .settings }}
{{- if has $name $.root.Values.secretSettings }}
{{- fail (printf "%s is a secret: put it into the Secret that secrets.existingSecret names." $name) }}
{{- end }}
{{- $text := toString $value }}
{{- if kindIs "map" $value }}
{{- fail (printf "%s must be a text, a number, true, false or a list." $name) }}
{{- end }}
{{- if kindIs "slice" $value }}
{{- $text = join "," $value }}
{{- end }}
{{- if kindIs "float64" $value }}
{{- $text = eq (floor $value) $value | ternary (toString (int64 $value)) $text }}
{{- end }}
{{- if not (or (kindIs "invalid" $value) (eq $text "")) }}
- name: {{ $name }}
  value: {{ $text | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "loci.secretRef" -}}
- secretRef:
    name: {{ required "Set secrets.existingSecret to the name of a Secret with LOCI_DATABASE_URL, LOCI_SECRET_KEYS and LOCI_API_KEY_PEPPER." .Values.secrets.existingSecret }}
{{- end -}}

{{- define "loci.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "loci.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The pod of a process. Called with root, component, process (its values) and container (command, port). */}}
{{- define "loci.pod" -}}
metadata:
  labels:
    {{- include "loci.labels" . | nindent 4 }}
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: {{ .port | quote }}
    prometheus.io/path: /metrics
    {{- with .root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "loci.serviceAccount" .root }}
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: {{ .process.terminationGracePeriodSeconds }}
  securityContext:
    {{- include "loci.podSecurity" . | nindent 4 }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "loci.selector" . | nindent 10 }}
  {{- with .process.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .process.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .process.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "loci.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: [node, --max-semi-space-size=8, {{ .main }}]
      ports:
        - name: http
          containerPort: {{ .port }}
      env:
        - name: LOCI_WORK_DIR
          value: /work/loci
        {{- $own := .process.settings | default dict }}
        {{- include "loci.settings" (dict "root" .root "settings" (mergeOverwrite (deepCopy .root.Values.settings) $own)) | nindent 8 }}
        {{- with .root.Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      envFrom:
        {{- include "loci.secretRef" .root | nindent 8 }}
      startupProbe:
        httpGet: { path: /livez, port: http }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /livez, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # A worker that embeds for the API does so without Temporal, which /readyz asks about: an outage must not end search as well.
      readinessProbe:
        httpGet: { path: {{ ternary "/livez" "/readyz" (eq (toString .process.service.enabled) "true") }}, port: http }
        periodSeconds: 2
        timeoutSeconds: 5
        failureThreshold: 2
      resources:
        {{- toYaml .process.resources | nindent 8 }}
      securityContext:
        {{- include "loci.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /var/lib/loci
        - name: work
          mountPath: /work
        - name: tmp
          mountPath: /tmp
        {{- with .root.Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: data
      {{- if include "loci.usesS3" .root }}
      emptyDir: {}
      {{- else }}
      persistentVolumeClaim:
        claimName: {{ .root.Values.blobs.existingClaim | default (include "loci.name" .root) }}
      {{- end }}
    - name: work
      emptyDir:
        sizeLimit: {{ .root.Values.blobs.workFolderSize }}
    - name: tmp
      emptyDir: {}
    {{- with .root.Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* The HorizontalPodAutoscaler of a deployment. Called with root, name, component and process. */}}
{{- define "loci.autoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ .name }}
  labels:
    {{- include "loci.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ .name }}
  minReplicas: {{ .process.autoscaling.minReplicas }}
  maxReplicas: {{ .process.autoscaling.maxReplicas }}
  metrics:
    {{- toYaml .process.autoscaling.metrics | nindent 4 }}
  {{- with .process.autoscaling.behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "loci.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  labels:
    {{- include "loci.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ .process.maxUnavailable }}
  selector:
    matchLabels:
      {{- include "loci.selector" . | nindent 6 }}
{{- end -}}
