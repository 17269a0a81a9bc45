import { Integration } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { makeController } from "../../kube/make-controller.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { keyOf, type ObjectKey } from "../../lib/resource.ts";
import type { ConnectorInformers } from "../informers.ts";
import { ProviderError } from "../provider-error.ts";
import { type Installation, readInstallation } from "./calls.ts";
import type { GitHubApi } from "./github-api.ts";
import { mayLook } from "./may-look.ts";

export interface SubscriptionsDeps extends ControllerDeps {
  client: KubeClient;
  github: Pick<GitHubApi, "callAsApp">;
  informers: Pick<ConnectorInformers, "integrations">;
}

const everyMs = 600_000;

/** What was read of an installation, and when. */
interface Look {
  events: string[] | undefined;
  atMs: number;
}

/** Notes in the status of Integrations what their App is subscribed to; it reads that every 10 minutes, and writes what changed. */
export class Subscriptions {
  readonly controller: Controller;
  readonly #deps: SubscriptionsDeps;
  readonly #looks = new Map<string, Look>();

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps;
    this.controller = makeController(deps, { name: "subscription", concurrency: 2 }, (client) => ({
      reconcile: (key, signal) => this.#reconcile(client, key, signal),
    }));
    this.controller.watch(deps.informers.integrations, { keysOf: (integration) => [keyOf(integration)] });
  }

  /** Reads the installation of an Integration's App, and notes its subscriptions. @throws ProviderError */
  async read(integration: Integration): Promise<Installation> {
    const { uid = "" } = integration.metadata;
    const atMs = this.#deps.clock.now().getTime();
    // Where the call fails, the next one waits, too.
    this.#looks.set(uid, { events: this.#looks.get(uid)?.events, atMs });
    const call = readInstallation(integration.spec.github?.installationID ?? 0);
    const { data } = await this.#deps.github.callAsApp(integration, call);
    this.#looks.set(uid, { events: [...new Set(data.events)].sort().slice(0, 200), atMs });
    this.controller.enqueue(keyOf(integration));
    return data;
  }

  /** Reads if that is due; gives the milliseconds until it is due again. */
  async look(integration: Integration): Promise<number> {
    const { atMs } = this.#looks.get(integration.metadata.uid ?? "") ?? {};
    const waitMs = atMs === undefined ? 0 : atMs + everyMs - this.#deps.clock.now().getTime();
    if (waitMs > 0) return waitMs;
    await this.read(integration).catch(ofProvider);
    return everyMs;
  }

  /** Drops what is kept of an Integration, by its UID. */
  forget(uid: string): void {
    this.#looks.delete(uid);
  }

  async #reconcile(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const integration = this.#deps.informers.integrations.get(key);
    if (!integration?.spec.github || integration.spec.suspend || !mayLook(integration)) return done;
    const waitMs = await this.look(integration);
    await this.#write(client, integration, signal);
    return requeueAfter(waitMs);
  }

  async #write(client: KubeClient, integration: Integration, signal: AbortSignal): Promise<void> {
    const { metadata, status } = integration;
    const { events } = this.#looks.get(metadata.uid ?? "") ?? {};
    if (!events || jsonEqual(events, status?.github?.events)) return;
    await client.patchStatus(Integration, integration, { ...status, github: { events } }, { signal });
  }
}

/** That GitHub does not answer, the Integration's connection says. */
function ofProvider(error: unknown): void {
  if (!(error instanceof ProviderError)) throw error;
}
