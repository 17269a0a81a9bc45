import { setTimeout as delay } from "node:timers/promises";

import { sandboxContainers } from "../../../src/api/runtime/pod-contract.ts";
import { labels } from "../../../src/api/v1alpha1/index.ts";
import { type Pod, pods } from "../../../src/kube/core-resources.ts";
import { until } from "../../support/kube.ts";
import { kubectl } from "./workbench.ts";
import type { Stage, Tenant } from "./tenant.ts";

const waits = "until [ -e /tmp/go ]; do sleep 0.2; done; rm /tmp/go";

/** A `setup.sh` that notes that it has begun, and waits to be let go on. */
export const waitingSetup = `echo setup >> /workspace/begun; ${waits}; mkdir -p .build; node --version > .build/node-version\n`;

/** An agent that does the same, and then runs a shell command. */
export const waitingBefore = (command: string): string[] => [
  "bash",
  "-c",
  `echo prompt >> /workspace/begun; ${waits}; ${command}`,
];

/** An agent that waits likewise, and answers with everything that was begun in its workspace. */
export const waitingAgent = waitingBefore("xargs < /workspace/begun");

const pollMs = 250;

/** Sandboxes of one tenant whose hooks and agents wait for the test. */
export class WaitingSandboxes {
  readonly #stage: Stage;
  readonly #tenant: Tenant;

  constructor(stage: Stage, tenant: Tenant) {
    this.#stage = stage;
    this.#tenant = tenant;
  }

  async podOf(session: string): Promise<Pod | undefined> {
    const labelSelector = `${labels.sessionName}=${session}`;
    const { items } = await this.#stage.bench.client.list(pods, { namespace: this.#tenant.namespace, labelSelector });
    return items[0];
  }

  /** Looks, not too often, whether `setup` or `prompt` has begun. */
  async hasBegun(session: string, what: "setup" | "prompt"): Promise<boolean> {
    await delay(pollMs);
    return this.#inAgent(session, "grep", "--quiet", what, "/workspace/begun");
  }

  /** Lets `setup.sh` or the agent go on as soon as it has begun. */
  async letGoOnceBegun(session: string, what: "setup" | "prompt"): Promise<void> {
    await until(`${what} of ${session} begins`, () => this.hasBegun(session, what));
    await this.letGo(session);
  }

  /** Lets go on what waits, or waits next; false when there is nothing to be told. */
  letGo(session: string): Promise<boolean> {
    return this.#inAgent(session, "touch", "/tmp/go");
  }

  /** Runs a command in the agent's container; whether it succeeded. */
  async #inAgent(session: string, ...command: string[]): Promise<boolean> {
    const { metadata } = (await this.podOf(session)) ?? {};
    if (metadata?.name === undefined) return false;
    const where = ["-n", this.#tenant.namespace, "exec", metadata.name, "-c", sandboxContainers.agent];
    return kubectl(this.#stage.bench, [...where, "--", ...command]).then(
      () => true,
      () => false,
    );
  }
}
