import { admissionPolicies, type PolicyScope } from "../api/v1alpha1/index.ts";
import { action, chartLabels, chartTemplate, chartWatched, processUser } from "./chart.ts";
import { yamlFile } from "./yaml.ts";

function scopeOf(namespace: string, name: string, rest: Omit<PolicyScope, "users" | "release">): PolicyScope {
  const user = (process: string): string => processUser(namespace, name, process);
  return {
    ...rest,
    release: { name, namespace },
    users: {
      controller: user("controller"),
      ingress: user("ingress"),
      gateway: user("gateway"),
      connector: user("connector"),
    },
  };
}

/** The admission policies as a template of the chart. */
export function policiesTemplate(): string {
  const namespaces = { keys: action.keysNamespace, sessions: action.sessionsNamespace, tokens: action.tokensNamespace };
  const rest = { prefix: action.clusterName, labels: chartLabels, namespaces, served: chartWatched };
  return chartTemplate(admissionPolicies(scopeOf(action.releaseNamespace, action.releaseName, rest)));
}

/** The admission policies of a release that has the default name and namespace. */
export function policiesManifest(): string {
  const prefix = "runwright-system-runwright";
  const namespaces = { keys: `${prefix}-keys`, sessions: `${prefix}-sessions`, tokens: `${prefix}-tokens` };
  const rest = { prefix, labels: { "app.kubernetes.io/name": "runwright" }, namespaces };
  return yamlFile(admissionPolicies(scopeOf("runwright-system", "runwright", rest)));
}
