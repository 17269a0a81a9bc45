import { Integration } from "../api/v1alpha1/index.ts";
import type { KubeClient } from "../kube/client.ts";
import { Controller, type ControllerDeps } from "../kube/controller.ts";
import { done, type Outcome } from "../kube/outcome.ts";
import { firstCharacters } from "../lib/characters.ts";
import { keyOf, type ObjectKey } from "../lib/resource.ts";
import { failureReasons } from "./conversations/sample.ts";
import type { ConnectorInformers } from "./informers.ts";
import type { ProviderError } from "./provider-error.ts";

export interface ConnectionsDeps extends ControllerDeps {
  client: KubeClient;
  informers: Pick<ConnectorInformers, "integrations">;
}

interface Finding {
  reason: string;
  message: string;
}

/** Failures in a row before a provider counts as away: a single one shows with the next call. */
const failuresBeforeAway = 2;

/** Notes in the status of Integrations whether their provider answers; it writes when that changes. */
export class Connections {
  readonly controller: Controller;
  readonly #deps: ConnectionsDeps;
  readonly #found = new Map<string, Finding>();
  readonly #failures = new Map<string, number>();

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
    this.controller = new Controller(deps, {
      name: "connection",
      concurrency: 2,
      reconciler: { reconcile: (key, signal) => this.#write(key, signal) },
    });
    this.controller.watch(deps.informers.integrations, { keysOf: () => [] });
  }

  /** Notes how a call ended; a call that the provider refuses shows that it answers. */
  called(integration: Integration, error: ProviderError | undefined): void {
    const { uid = "" } = integration.metadata;
    const found = this.#finding(uid, error);
    if (!found || this.#found.get(uid)?.reason === found.reason) return;
    this.#found.set(uid, found);
    this.controller.enqueue(keyOf(integration));
  }

  /** Undefined where a single failure says nothing yet. */
  #finding(uid: string, error: ProviderError | undefined): Finding | undefined {
    if (!error || error.failure === "refused") {
      this.#failures.delete(uid);
      return connected;
    }
    const failures = (this.#failures.get(uid) ?? 0) + 1;
    this.#failures.set(uid, failures);
    if (error.failure === "unavailable" && failures < failuresBeforeAway) return undefined;
    return { reason: failureReasons[error.failure], message: error.message };
  }

  async #write(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { informers, client, clock } = this.#deps;
    const integration = informers.integrations.get(key);
    const found = this.#found.get(integration?.metadata.uid ?? "");
    if (!integration || !found || integration.status?.connection?.reason === found.reason) return done;
    const connection = {
      reason: found.reason,
      message: firstCharacters(found.message, 1_024),
      time: clock.now().toISOString(),
    };
    await client.patchStatus(Integration, integration, { ...integration.status, connection }, { signal });
    return done;
  }
}

const connected: Finding = { reason: "Connected", message: "The provider answers" };
