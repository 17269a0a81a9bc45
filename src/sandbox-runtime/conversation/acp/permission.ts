import type { Bundle } from "../../../api/runtime/bundle.ts";
import type { PermissionOption } from "./messages.ts";

type Answer = { outcome: "cancelled" } | { outcome: "selected"; optionId: string };

/** In order of preference: for one use before for all. */
const kinds = {
  Allow: ["allow_once", "allow_always"],
  Reject: ["reject_once", "reject_always"],
} as const;

/** The answer to an agent's permission request; `cancelled` when it offers no fitting option. */
export function answerPermission(
  options: readonly PermissionOption[],
  policy: NonNullable<Bundle["agent"]["permissionRequests"]>,
): Answer {
  for (const kind of kinds[policy]) {
    const option = options.find((offered) => offered.kind === kind);
    if (option) return { outcome: "selected", optionId: option.optionId };
  }
  return { outcome: "cancelled" };
}
