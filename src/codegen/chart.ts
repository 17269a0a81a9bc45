import { generatedNote, yamlDocuments } from "./yaml.ts";

/** Helm actions of generated templates, also valid inside loops; the helpers are the chart's own. */
export const action = {
  releaseName: "{{ $.Release.Name }}",
  releaseNamespace: "{{ $.Release.Namespace }}",
  keysNamespace: '{{ include "runwright.keysNamespace" $ }}',
  sessionsNamespace: '{{ include "runwright.sessionsNamespace" $ }}',
  tokensNamespace: '{{ include "runwright.tokensNamespace" $ }}',
  /** Namespace and name of the release, unique in the cluster. */
  clusterName: '{{ include "runwright.clusterName" $ }}',
} as const;

const labelsMark = "(labels)";

/** Stands for the labels of all the chart's objects until {@link chartTemplate} puts them in; others may join them. */
export const chartLabels = { [labelsMark]: "" } as const;

const watchedMark = "(watched namespaces)";

/** Stands in matchConstraints for the selector of the namespaces that are watched, where some are named. */
export const chartWatched = { [watchedMark]: "" } as const;

const watchedSelector = `    {{- with $.Values.watchNamespaces }}
    namespaceSelector:
      matchExpressions:
        - key: kubernetes.io/metadata.name
          operator: In
          values:
            {{- toYaml . | nindent 12 }}
    {{- end }}
`;

/** Objects whose texts hold Helm actions, as a template of the chart; all are for a cluster admin to apply. */
export function chartTemplate(objects: readonly object[]): string {
  return adminTemplate(chartDocuments(objects));
}

/** A whole template of objects that are left out where a cluster admin applies them apart. */
export function adminTemplate(documents: string): string {
  return `${generatedNote}{{- if .Values.adminObjects }}\n${documents}{{- end }}\n`;
}

/** Objects whose texts hold Helm actions, as part of a template. */
export function chartDocuments(objects: readonly object[]): string {
  const text = yamlDocuments(objects);
  if (/\{\{[^}]*\\/.test(text))
    throw new Error("a Helm action would stand in a YAML text of double quotes, with its own escaped");
  return text
    .replaceAll(`    ${labelsMark}: ''\n`, '    {{- include "runwright.labels" $ | nindent 4 }}\n')
    .replaceAll(`    ${watchedMark}: ''\n`, () => watchedSelector);
}

/** The name under which the API server knows a process of the release. */
export function processUser(namespace: string, release: string, process: string): string {
  return `system:serviceaccount:${namespace}:${release}-${process}`;
}
