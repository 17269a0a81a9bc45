import { group } from "../../api/v1alpha1/kind.ts";
import type { Permission } from "../../lib/permissions.ts";

const tenants = { scope: "tenants", apiGroups: [group] } as const;

/** What the controllers of prebuilt images may do beside what that of sessions may, whose sandboxes builds have. */
export const permissions: readonly Permission[] = [
  { ...tenants, resources: ["prebuiltimages"], verbs: ["get", "list", "watch"] },
  { ...tenants, resources: ["prebuiltimages/status"], verbs: ["patch"] },
  // Those that Repositories and Environments ask for by spec.prebuild.
  { ...tenants, resources: ["prebuiltimages"], verbs: ["create", "patch", "delete"] },
];
