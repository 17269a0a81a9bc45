import { group, type Kind } from "../api/v1alpha1/index.ts";
import { action, chartLabels, chartTemplate } from "./chart.ts";

const reading = ["get", "list", "watch"];
const writing = ["create", "update", "patch", "delete", "deletecollection"];

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

/**
 * Whoever may view or edit a namespace may do the same with our kinds in it, as with Kubernetes' own; editors may also
 * make keys. Nobody's role gets a status, which is the controller's word. SandboxClasses are the platform team's.
 */
export function peopleRolesTemplate(kinds: readonly Kind[]): string {
  const apiGroups = [group];
  const resources = kinds.filter(({ namespaced }) => namespaced).map(({ plural }) => plural);
  return chartTemplate([
    aggregatedRole("view", [{ apiGroups, resources, verbs: reading }]),
    aggregatedRole("edit", [
      { apiGroups, resources, verbs: writing },
      { apiGroups, resources: ["automations/key"], verbs: ["create"] },
    ]),
  ]);
}
