import { group, type Kind } from "../api/v1alpha1/index.ts";
import { action, chartLabels, chartTemplate } from "./chart.ts";

const reading = ["get", "list", "watch"];
const deleting = ["delete", "deletecollection"];
const writing = ["create", "update", "patch", ...deleting];

/** Adds rights to one of the roles that every cluster has; edit includes view, and admin includes edit. */
function aggregatedRole(to: "view" | "edit", rules: readonly object[]): object {
  const labels = { ...chartLabels, [`rbac.authorization.k8s.io/aggregate-to-${to}`]: "true" };
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: `${action.clusterName}-${to}`, labels },
    rules,
  };
}

const pluralOf = ({ plural }: Kind): string => plural;

/**
 * Whoever may view or edit a namespace may do the same with our kinds in it, as with Kubernetes' own, and read what
 * happened in sessions as they may read the logs of pods; editors may also make keys. Nobody's role gets a status, which is the controller's word, and nobody
 * rewrites a record. SandboxClasses are the platform team's.
 */
export function peopleRolesTemplate(kinds: readonly Kind[]): string {
  const apiGroups = [group];
  const namespaced = kinds.filter((kind) => kind.namespaced);
  const records = namespaced.filter(({ status }) => !status).map(pluralOf);
  const editable = namespaced.filter(({ status }) => status).map(pluralOf);
  return chartTemplate([
    aggregatedRole("view", [
      { apiGroups, resources: namespaced.map(pluralOf), verbs: reading },
      { apiGroups, resources: ["sessions/log"], verbs: ["get"] },
    ]),
    aggregatedRole("edit", [
      { apiGroups, resources: editable, verbs: writing },
      { apiGroups, resources: records, verbs: deleting },
      { apiGroups, resources: ["automations/key", "sessions/tunnel"], verbs: ["create"] },
    ]),
  ]);
}
