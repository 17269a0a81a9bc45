import type { z } from "zod";
import type { Automation } from "../../api/v1alpha1/index.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { Caller, Callers, WantedAccess } from "../http/callers.ts";
import type { AutomationRights } from "./answers.ts";

/** What a caller may do with an automation now: what each operation would ask of RBAC. */
export async function rightsTo(
  callers: Pick<Callers, "may">,
  asked: { caller: Caller; automation: NamespacedName; spec: Automation["spec"]; signal: AbortSignal },
): Promise<z.output<typeof AutomationRights>> {
  const { caller, automation, spec, signal } = asked;
  const { namespace } = automation;
  const may = (wanted: WantedAccess): Promise<boolean> => callers.may(caller, wanted, signal);
  const account = { verb: "impersonate", group: "", resource: "serviceaccounts", name: spec.serviceAccountName };
  const [runs, logs, create, patch, impersonate, key] = await Promise.all([
    may({ verb: "list", resource: "runs", namespace }),
    may({ verb: "get", resource: "deliverylogs", ...automation }),
    may({ verb: "create", resource: "runs", namespace }),
    may({ verb: "patch", resource: "automations", ...automation }),
    may({ ...account, namespace }),
    may({ verb: "create", resource: "automations", subresource: "key", ...automation }),
  ]);
  return {
    listInvocations: runs,
    listDeliveries: logs,
    trigger: create,
    pause: patch && impersonate,
    // A resume after failures changes no spec.
    resume: patch && (impersonate || !spec.suspend),
    regenerateKey: key && hasIssuedKey(spec),
  };
}

/** A key of a Secret in Git is replaced there. */
function hasIssuedKey({ trigger: { type, webhook } }: Automation["spec"]): boolean {
  const isFromGit = webhook?.keyHashSecretRef !== undefined || webhook?.authentication?.hmac?.secretRef !== undefined;
  return type === "Webhook" && !isFromGit;
}
