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
 * The roles `view` and `edit` cover our kinds as they cover those of Kubernetes, and events of sessions as they cover
 * logs of pods; editors may also issue keys. No role may write a status, which belongs to the controllers, or change a
 * record. SandboxClasses belong to the platform team.
 */
export function peopleRolesTemplate(kinds: readonly Kind[]): string {
  const apiGroups = [group];
  const namespaced = kinds.filter((kind) => kind.namespaced);
  const isRecord = ({ status, isRecord: isMarked = false }: Kind): boolean => !status || isMarked;
  const records = namespaced.filter(isRecord).map(pluralOf);
  const editable = namespaced.filter((kind) => !isRecord(kind)).map(pluralOf);
  const scales = namespaced.filter(({ scale }) => scale).map(({ plural }) => `${plural}/scale`);
  return chartTemplate([
    aggregatedRole("view", [
      { apiGroups, resources: namespaced.map(pluralOf), verbs: reading },
      { apiGroups, resources: scales, verbs: ["get"] },
      { apiGroups, resources: ["sessions/log", "prebuiltimages/log"], verbs: ["get"] },
    ]),
    aggregatedRole("edit", [
      { apiGroups, resources: editable, verbs: writing },
      { apiGroups, resources: scales, verbs: ["update", "patch"] },
      { apiGroups, resources: records, verbs: deleting },
      { apiGroups, resources: ["automations/key", "sessions/tunnel"], verbs: ["create"] },
    ]),
  ]);
}
