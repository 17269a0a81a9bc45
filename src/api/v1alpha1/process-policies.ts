import { connectorWrites } from "./process-writes/connector.ts";
import { controllerWrites } from "./process-writes/controller.ts";
import { gatewayWrites } from "./process-writes/gateway.ts";
import { type Deletion, deletionPolicies } from "./process-writes/deletion.ts";
import { connectorDeletions, controllerDeletions } from "./process-writes/deletions.ts";
import { ingressWrites } from "./process-writes/ingress.ts";
import { requirementsOf } from "./process-writes/validations.ts";
import type { Write, WriteScope } from "./process-writes/write.ts";
import type { PolicyScope, PolicySource } from "./policy-source.ts";

/** Our processes, each with a ServiceAccount of its own. */
export type Process = keyof PolicyScope["users"];

/** All that each of our processes may create and change in the cluster; admission policies refuse the rest. */
export function processWrites(scope: WriteScope): Record<Process, readonly Write[]> {
  return {
    ingress: ingressWrites,
    gateway: gatewayWrites(scope),
    controller: controllerWrites(scope),
    connector: connectorWrites(scope),
  };
}

/** All that each of our processes may delete. Other users, such as people and the garbage collector, are not limited. */
export const processDeletions: Record<Process, readonly Deletion[]> = {
  ingress: [],
  gateway: [],
  controller: controllerDeletions,
  connector: connectorDeletions,
};

/** Limits of our own processes, in case one of their pods is compromised. */
export function processPolicies(scope: Omit<PolicyScope, "served">): PolicySource[] {
  const { users, namespaces, release } = scope;
  const places = { ...namespaces, release: release.namespace };
  const deletions = Object.entries(processDeletions).flatMap(([process, rows]) =>
    deletionPolicies(process as Process, rows, { user: users[process as Process], namespaces: places }),
  );
  return [...writePolicies(scope), ...deletions];
}

function writePolicies({ users, namespaces, release }: Omit<PolicyScope, "served">): PolicySource[] {
  return Object.entries(processWrites({ release })).flatMap(([process, writes]) =>
    writes.flatMap((write) => {
      const validations = requirementsOf(process, write).map((one) => ({ ...one, reason: "Forbidden" as const }));
      if (validations.length === 0) return [];
      const { name, operation, apiGroup, version, resource, namespace } = write;
      return {
        name,
        operations: [operation],
        ...(apiGroup === undefined ? {} : { apiGroup, version }),
        resources: [resource],
        ...(namespace && { namespace: namespace === "release" ? release.namespace : namespaces[namespace] }),
        conditions: [
          { name: `is-${process}`, expression: `request.userInfo.username == '${users[process as Process]}'` },
        ],
        validations,
      };
    }),
  );
}
