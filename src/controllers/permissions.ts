import { gatewayAuthoritiesName } from "../api/v1alpha1/names.ts";
import { type Permission, releaseNameMark } from "../lib/permissions.ts";
import { permissions as automation } from "./automation/permissions.ts";
import { permissions as image } from "./image/permissions.ts";
import { permissions as integration } from "./integration/permissions.ts";
import { permissions as namespace } from "./namespace/permissions.ts";
import { permissions as pool } from "./pool/permissions.ts";
import { permissions as repository } from "./repository/permissions.ts";
import { permissions as run } from "./run/permissions.ts";
import { permissions as session } from "./session/permissions.ts";

const releaseNamespaces: readonly Permission[] = [
  // Leadership.
  {
    scope: "release",
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    verbs: ["get", "create", "update"],
  },
  // By which people trust the gateway; the chart makes it.
  {
    scope: "release",
    apiGroups: [""],
    resources: ["configmaps"],
    verbs: ["get", "patch"],
    resourceNames: [gatewayAuthoritiesName(releaseNameMark)],
  },
  // The gateway's certificate, and what lost its owner.
  {
    scope: "sessions",
    apiGroups: [""],
    resources: ["secrets"],
    verbs: ["get", "list", "watch", "create", "update", "delete"],
  },
  { scope: "keys", apiGroups: [""], resources: ["secrets"], verbs: ["list", "delete"] },
];

/** All that the controller process may do; each right is declared beside the code that needs it. */
export const permissions: readonly Permission[] = [
  ...automation,
  ...run,
  ...session,
  ...image,
  ...pool,
  ...namespace,
  ...repository,
  ...integration,
  ...releaseNamespaces,
];
