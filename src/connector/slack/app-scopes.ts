import { Integration } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { makeController } from "../../kube/make-controller.ts";
import { done, type Outcome } from "../../kube/outcome.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { keyOf, type ObjectKey } from "../../lib/resource.ts";
import type { ConnectorInformers } from "../informers.ts";
import { missingScopes, type SeenScopes } from "./missing-scopes.ts";

export interface AppScopesDeps extends ControllerDeps {
  client: KubeClient;
  informers: Pick<ConnectorInformers, "integrations">;
}

/** Notes in the status of Integrations which scopes their app lacks for what it is to do; it writes when that changes. */
export class AppScopes {
  readonly controller: Controller;
  readonly #deps: AppScopesDeps;
  readonly #missing = new Map<string, readonly string[]>();

  constructor(deps: AppScopesDeps) {
    this.#deps = deps;
    this.controller = makeController(deps, { name: "scope", concurrency: 2 }, (client) => ({
      reconcile: (key, signal) => this.#write(client, key, signal),
    }));
    this.controller.watch(deps.informers.integrations, { keysOf: () => [] });
  }

  /** Notes what an answer said. */
  seen(integration: Integration, scopes: SeenScopes): void {
    const { uid = "" } = integration.metadata;
    const known = this.#missing.get(uid) ?? notedIn(integration);
    const missing = missingScopes(known, scopes);
    if (jsonEqual(missing, known)) return;
    this.#missing.set(uid, missing);
    this.controller.enqueue(keyOf(integration));
  }

  /** Drops what is kept of an Integration, by its UID. */
  forget(uid: string): void {
    this.#missing.delete(uid);
  }

  async #write(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const integration = this.#deps.informers.integrations.get(key);
    const missing = this.#missing.get(integration?.metadata.uid ?? "");
    if (!integration || !missing || jsonEqual(missing, notedIn(integration))) return done;
    const slack = missing.length === 0 ? undefined : { missingScopes: [...missing] };
    await client.patchStatus(Integration, integration, { ...integration.status, slack }, { signal });
    return done;
  }
}

function notedIn({ status }: Integration): readonly string[] {
  return status?.slack?.missingScopes ?? [];
}
