import { setTimeout as delay } from "node:timers/promises";

import { gatewayIdentity } from "../../src/api/runtime/gateway-identity.ts";
import { gatewayLeaseLabels, gatewayLeaseName } from "../../src/api/runtime/pod-contract.ts";
import { annotations, attemptName, labels, Prompt, Run, Session } from "../../src/api/v1alpha1/index.ts";
import { ownerLabelsIn } from "../../src/domain/attempts/owner-labels.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { leases, type Pod, pods, secrets } from "../../src/kube/core-resources.ts";
import { isAlreadyExists, isNotFound } from "../../src/kube/errors.ts";
import { Informer } from "../../src/kube/informer.ts";
import { microTime } from "../../src/kube/micro-time.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { keyOf, ownerReferenceTo } from "../../src/lib/resource.ts";
import { aRunningPodStatus, aVerdict } from "../../test/support/builders.ts";
import { release, tenant } from "./stage.ts";

const gatewayPod = "gateway-0";
const holder = gatewayIdentity(gatewayPod, "1");
const renewEveryMs = 5_000;
const retryMs = 500;

/**
 * The kubelet and the gateway as the API server sees them, without containers and connections: pods run as soon as they
 * are there, runtimes connect and are ready as soon as the controller has recorded their pod, and agents succeed as soon
 * as they may. It writes what kubelet and gateway write for such a Run, and reads what the gateway reads.
 */
export class Edge {
  readonly #client: KubeClient;
  readonly #pods: Informer<Pod>;
  readonly #sessions: Informer<Session>;
  readonly #runs: Informer<Run>;
  readonly #connected = new Set<string>();
  readonly #settled = new Set<string>();
  readonly #ends = new Map<string, (reason: string) => void>();
  /** Sessions whose prompt waits for an answer. */
  readonly #held: Session[] = [];
  #isHolding = false;
  readonly #stopping = new AbortController();
  #renewal: NodeJS.Timeout | undefined;
  /** What went wrong, by its text. */
  readonly failures = new Map<string, number>();

  constructor(client: KubeClient) {
    this.#client = client;
    const deps = { client, clock: systemClock, random: systemRandom };
    this.#pods = new Informer(deps, pods, { namespace: tenant });
    this.#sessions = new Informer(deps, Session, { namespace: tenant });
    this.#runs = new Informer(deps, Run, { namespace: tenant });
    this.#pods.onChange(({ type, object }) => {
      if (type === "added") void this.#try(() => this.#run(object));
    });
    this.#sessions.onChange(({ type, object }) => {
      if (type !== "deleted") this.#follow(object);
    });
    this.#runs.onChange(({ object }) => this.#judge(object));
  }

  async start(): Promise<void> {
    const metadata = {
      namespace: release.namespace,
      name: gatewayLeaseName(gatewayPod),
      labels: { ...gatewayLeaseLabels, [labels.release]: `${release.namespace}.${release.name}` },
    };
    const spec = { holderIdentity: holder, leaseDurationSeconds: 15, renewTime: microTime(new Date()) };
    const lease = await this.#client.create(leases, { metadata, spec });
    const renew = (): Promise<unknown> =>
      this.#client.patch(leases, keyOf(lease), { spec: { renewTime: microTime(new Date()) } });
    this.#renewal = setInterval(() => void this.#try(renew), renewEveryMs);
    const informers = [this.#pods, this.#sessions, this.#runs];
    for (const informer of informers) informer.start();
    await Promise.all(informers.map((informer) => informer.synced()));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#renewal);
    await Promise.all([this.#pods, this.#sessions, this.#runs].map((informer) => informer.stop()));
  }

  /** Resolves with the reason of its verdict when the Run of this name has ended; ask before it is created. */
  ended(run: string): Promise<string> {
    return new Promise((resolve) => this.#ends.set(run, resolve));
  }

  /** How many Runs have not ended. */
  get unended(): number {
    return this.#runs.list().filter((run) => verdictOf(run) === undefined).length;
  }

  /** What is known of a Run that does not end, and of what went wrong. */
  tell(run: string): string {
    const { status } = this.#runs.get({ namespace: tenant, name: run }) ?? {};
    return JSON.stringify({ status, failures: Object.fromEntries(this.failures) });
  }

  /** From now on agents work until {@link release}. */
  hold(): void {
    this.#isHolding = true;
  }

  /** How many agents work. */
  get working(): number {
    return this.#held.length;
  }

  release(): void {
    this.#isHolding = false;
    for (const session of this.#held.splice(0)) void this.#try(() => this.#settle(session));
  }

  /** Does it again until it goes well, as kubelet and gateway do. */
  async #try(work: () => Promise<unknown>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await work();
        return;
      } catch (error) {
        const text = String(error);
        this.failures.set(text, (this.failures.get(text) ?? 0) + 1);
        await delay(retryMs);
      }
    }
  }

  #run(pod: Pod): Promise<unknown> {
    return orGone(this.#client.patch(pods, keyOf(pod), { status: aRunningPodStatus() }, { subresource: "status" }));
  }

  #follow(session: Session): void {
    const { sandbox, currentPrompt } = session.status ?? {};
    const { uid = "" } = session.metadata;
    if (sandbox?.podUID !== undefined && sandbox.endTime === undefined && !this.#connected.has(uid)) {
      this.#connected.add(uid);
      const name = attemptName(uid, sandbox.attempt);
      void this.#try(() => this.#connect(name));
    }
    if (currentPrompt === undefined || this.#settled.has(currentPrompt.uid)) return;
    this.#settled.add(currentPrompt.uid);
    if (this.#isHolding) this.#held.push(session);
    else void this.#try(() => this.#settle(session));
  }

  /** The Lease that says of a first connection that boot has ended (ADR 0076). */
  async #connect(name: string): Promise<void> {
    const bundle = await this.#client.get(secrets, { namespace: release.sessionsNamespace, name });
    const now = new Date();
    const said = {
      [annotations.connectedTime]: now.toISOString(),
      [annotations.connection]: "1",
      [annotations.readyTime]: now.toISOString(),
    };
    const created = this.#client.create(leases, {
      metadata: {
        namespace: release.sessionsNamespace,
        name,
        labels: ownerLabelsIn(bundle.metadata),
        annotations: said,
        ownerReferences: [ownerReferenceTo(secrets, bundle, false)],
      },
      spec: { holderIdentity: holder, renewTime: microTime(now), acquireTime: microTime(now) },
    });
    await created.catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }

  async #settle({ status }: Session): Promise<void> {
    const { name = "", startTime } = status?.currentPrompt ?? {};
    const now = new Date();
    await this.#client.patch(
      Prompt,
      { namespace: tenant, name },
      {
        status: {
          conditions: [{ ...aVerdict(true, "Succeeded", now), observedGeneration: 1 }],
          observedGeneration: 1,
          startTime,
          completionTime: now.toISOString(),
          result: { summary: "Fixed it" },
        },
      },
      { subresource: "status" },
    );
  }

  #judge(run: Run): void {
    const verdict = verdictOf(run);
    const { name = "" } = run.metadata;
    if (verdict === undefined) return;
    this.#ends.get(name)?.(verdict.reason);
    this.#ends.delete(name);
  }
}

/** A pod that is gone again needs no word of it. */
async function orGone(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

function verdictOf({ status }: Run): { reason: string } | undefined {
  return status?.conditions?.find((one) => one.type === "Succeeded" && one.status !== "Unknown");
}
