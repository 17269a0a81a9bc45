import { Automation, reasons } from "../../api/v1alpha1/index.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import { type AutomationPatch, pausePatch, resumePatch } from "../../domain/pauses/pause-patch.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Audit, Requested } from "../http/audit.ts";
import type { Caller, Callers } from "../http/callers.ts";
import { failWrite } from "../http/errors.ts";
import { findLive } from "../http/find-live.ts";

interface PausesDeps {
  client: Pick<KubeClient, "find" | "patch">;
  clock: Clock;
  callers: Pick<Callers, "authorize">;
  audit: Audit;
}

interface Asked extends Requested {
  caller: Caller;
  named: NamespacedName;
}

/** Pauses and resumes automations for callers who are allowed to change them. */
export class Pauses {
  readonly #deps: PausesDeps;

  constructor(deps: PausesDeps) {
    this.#deps = deps;
  }

  /** The automation after the change; nothing is written if it was suspended already. */
  async pause(asked: Asked): Promise<Automation> {
    const found = await this.#find(asked);
    if (found.spec.suspend) return found;
    return this.#write(asked, found, { patch: pausePatch(), reason: reasons.suspended, did: "paused it" });
  }

  /** The automation after the change. Resets the count of failures even when it was not paused. */
  async resume(asked: Asked): Promise<Automation> {
    const found = await this.#find(asked);
    const patch = resumePatch(found, this.#deps.clock.now());
    return this.#write(asked, found, { patch, reason: reasons.resumed, did: "resumed it" });
  }

  async #find({ named, signal }: Asked): Promise<Automation> {
    return findLive<Automation>(this.#deps.client, Automation, named, signal);
  }

  async #write(
    { caller, requester, named, signal }: Asked,
    found: Automation,
    { patch, reason, did }: { patch: AutomationPatch; reason: "Suspended" | "Resumed"; did: string },
  ): Promise<Automation> {
    const { client, callers, audit } = this.#deps;
    if (patch.spec) {
      // The admission policy requires this access to change a spec; the gateway, exempt from it, checks its callers.
      const { serviceAccountName: name } = found.spec;
      const access = { verb: "impersonate", group: "", resource: "serviceaccounts", namespace: named.namespace, name };
      await callers.authorize(caller, access, signal);
    }
    // The UID is a precondition: a new automation of the same name is not changed.
    const body = { ...patch, metadata: { ...patch.metadata, uid: found.metadata.uid } };
    const written = await client.patch<Automation>(Automation, named, body, { signal }).catch(failWrite);
    audit.note(requester, written, { reason, did });
    return written;
  }
}
