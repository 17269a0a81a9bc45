import { gatewayAuthoritiesName } from "./names.ts";
import type { PolicyScope, PolicySource } from "./policy-source.ts";

const isAsBefore = (field: string): string =>
  `has(object.${field}) == (request.operation == 'UPDATE' && has(oldObject.${field})) && ` +
  `(!has(object.${field}) || object.${field} == oldObject.${field})`;

/**
 * Only the controller writes the authorities by which people trust the gateway: others, such as Helm, make the ConfigMap
 * empty and change its metadata.
 */
export function gatewayAuthoritiesPolicy({ release, users }: Pick<PolicyScope, "release" | "users">): PolicySource {
  return {
    name: "gateway-ca",
    operations: ["CREATE", "UPDATE"],
    apiGroup: "",
    version: "v1",
    resources: ["configmaps"],
    conditions: [
      {
        name: "is-the-gateway-ca",
        expression: `request.namespace == '${release.namespace}' && object.metadata.name == '${gatewayAuthoritiesName(release.name)}'`,
      },
      { name: "is-not-the-controller", expression: `request.userInfo.username != '${users.controller}'` },
    ],
    validations: [
      {
        expression: `${isAsBefore("data")} && ${isAsBefore("binaryData")}`,
        message: `data: only ${users.controller} may write the gateway's authorities, by which people trust it`,
        reason: "Forbidden",
      },
      {
        expression: "!has(object.immutable) || !object.immutable",
        message: `immutable: must not be true, as ${users.controller} renews the gateway's authorities`,
        reason: "Forbidden",
      },
    ],
  };
}
