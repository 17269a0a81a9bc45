import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { Reconciler } from "../../kube/controller.ts";
import { done, type Outcome } from "../../kube/outcome.ts";
import type { ObjectKey } from "../../lib/resource.ts";
import { sandboxAccountName } from "../../api/v1alpha1/names.ts";
import { defaultClassOf } from "../sandbox/default-class.ts";
import type { TenantNamespaces } from "../sandbox/tenant/tenant-namespaces.ts";

export interface NamespaceReconcilerDeps {
  informers: {
    sessions: { list(namespace: string): Session[] };
    sandboxClasses: { list(): SandboxClass[] };
  };
  namespaces: Pick<TenantNamespaces, "ensurePolicies" | "ensureAccount" | "forget">;
}

/** Looks at everything of one tenant namespace anew, as far as live sessions there need it. */
export class NamespaceReconciler implements Reconciler {
  readonly #deps: NamespaceReconcilerDeps;

  constructor(deps: NamespaceReconcilerDeps) {
    this.#deps = deps;
  }

  async reconcile({ name }: ObjectKey): Promise<Outcome> {
    const { informers, namespaces } = this.#deps;
    namespaces.forget(name);
    const live = informers.sessions.list(name).filter(isLive);
    const classes = informers.sandboxClasses.list();
    const defaultClass = defaultClassOf(classes);
    const used = new Set(live.map(({ spec }) => spec.sandboxClassName ?? defaultClass?.metadata.name));
    for (const sandboxClass of classes) {
      if (used.has(sandboxClass.metadata.name)) await namespaces.ensurePolicies(name, sandboxClass);
    }
    if (live.some(({ spec }) => spec.serviceAccountName === sandboxAccountName)) {
      await namespaces.ensureAccount(name, defaultClass);
    }
    return done;
  }
}

/** Has a sandbox, or may get one before long. */
function isLive({ metadata, status }: Session): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.sandbox?.endTime === undefined || status.queue !== undefined;
}
