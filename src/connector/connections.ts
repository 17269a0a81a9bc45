import { Integration } from "../api/v1alpha1/index.ts";
import type { KubeClient } from "../kube/client.ts";
import type { Controller, ControllerDeps } from "../kube/controller.ts";
import { makeController } from "../kube/make-controller.ts";
import { done, type Outcome } from "../kube/outcome.ts";
import { firstCharacters } from "../lib/characters.ts";
import { keyOf, type ObjectKey } from "../lib/resource.ts";
import type { CallEnd } from "./call-observer.ts";
import { failureReasonOf, isRefusal } from "./failure-reason.ts";
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
    this.controller = makeController(deps, { name: "connection", concurrency: 2 }, (client) => ({
      reconcile: (key, signal) => this.#write(client, key, signal),
    }));
    this.controller.watch(deps.informers.integrations, { keysOf: () => [] });
  }

  /**
   * Notes how a call ended; a call that the provider refuses shows that it answers. One that needs less than others does not
   * show that credentials are good with which others were refused.
   */
  called(integration: Integration, { error, needsLess = false }: Omit<CallEnd, "operation">): void {
    const { uid = "" } = integration.metadata;
    if (needsLess && isAnswered(error) && this.#isRefused(integration)) return;
    const found = this.#finding(uid, error);
    if (!found || this.#found.get(uid)?.reason === found.reason) return;
    this.#found.set(uid, found);
    this.controller.enqueue(keyOf(integration));
  }

  /** Drops what is kept of an Integration, by its UID. */
  forget(uid: string): void {
    this.#found.delete(uid);
    this.#failures.delete(uid);
  }

  #isRefused({ metadata: { uid = "" }, status }: Integration): boolean {
    return isRefusal(this.#found.get(uid)?.reason ?? status?.connection?.reason);
  }

  /** Undefined where a single failure says nothing yet. */
  #finding(uid: string, error: ProviderError | undefined): Finding | undefined {
    if (isAnswered(error)) {
      this.#failures.delete(uid);
      return connected;
    }
    const failures = (this.#failures.get(uid) ?? 0) + 1;
    this.#failures.set(uid, failures);
    if (error.failure === "unavailable" && failures < failuresBeforeAway) return undefined;
    return { reason: failureReasonOf(error), message: error.message };
  }

  async #write(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { informers, clock } = this.#deps;
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

function isAnswered(error: ProviderError | undefined): error is undefined | (ProviderError & { failure: "refused" }) {
  return !error || error.failure === "refused";
}

const connected: Finding = { reason: "Connected", message: "The provider answers" };
