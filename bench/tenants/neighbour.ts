import { setTimeout as delay } from "node:timers/promises";

import { labels, Session } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { until } from "../../test/support/kube.ts";
import type { Target } from "../world.ts";
import type { Release } from "./release.ts";
import { Sandboxes } from "./sandboxes.ts";
import { prompt, startSession } from "./tenant.ts";

/** What the other tenant waits for. */
export const waits = ["webhook", "sandbox", "prompt", "events"] as const;
export type Wait = (typeof waits)[number];
/** How it fared with one of these: the milliseconds of each time that went well, and what came of the others. */
export interface Experience {
  ms: number[];
  failures: string[];
}
export type Experiences = Record<Wait, Experience>;

interface NeighbourOptions {
  client: KubeClient;
  namespace: string;
  release: Release;
  /** The Automation that its webhook triggers. */
  automation: Target;
  payload: string;
}

/** Milliseconds from one to the next: a tenant that does a little all the time. */
const pauseMs = { webhook: 300, sandbox: 100, prompt: 100, events: 1_200 } as const;
/** Sessions of which each has an event stored at its first chance: those of one are stored together, once a second. */
const eventSessions = 8;
const limitMs = 60_000;

/** The other tenant: one webhook, one sandbox, one prompt and some events at a time. */
export class Neighbour {
  readonly #options: NeighbourOptions;
  readonly #sandboxes: Sandboxes;
  /** What waits for a session's pod or for a prompt at its runtime, by UID of the session. */
  readonly #pods = new Map<string, () => void>();
  readonly #prompts = new Map<string, () => void>();
  /** Sessions whose pods stay without a runtime. */
  readonly #bare = new Set<string>();
  #made = 0;
  #standing: { name: string; uid: string }[] = [];

  constructor(options: NeighbourOptions) {
    this.#options = options;
    const { client, namespace, release } = options;
    this.#sandboxes = new Sandboxes({
      client,
      namespace,
      release,
      localAddress: "127.0.1.1",
      runs: ({ metadata }) => !this.#bare.has(metadata.labels?.[labels.sessionUid] ?? ""),
      podSeen: ({ metadata }) => this.#pods.get(metadata.labels?.[labels.sessionUid] ?? "")?.(),
      prompted: (sessionUid) => this.#prompts.get(sessionUid)?.(),
    });
  }

  /** Starts the sessions that stay. */
  async prepare(): Promise<void> {
    for (let index = 0; index <= eventSessions; index += 1) {
      const name = `standing-${index}`;
      const { metadata } = await startSession(this.#options.client, this.#named(name), 86_400);
      this.#standing.push({ name, uid: metadata.uid ?? "" });
    }
    const areReady = (): boolean => this.#standing.every(({ uid }) => this.#sandboxes.runtimes.has(uid));
    await until("the neighbour's sandboxes are ready", areReady);
  }

  /** Does everything for so long; what is under way at the end is waited for. */
  async live(seconds: number): Promise<Experiences> {
    const none = (): Experience => ({ ms: [], failures: [] });
    const lived: Experiences = { webhook: none(), sandbox: none(), prompt: none(), events: none() };
    const endMs = performance.now() + 1_000 * seconds;
    const again = async (wait: Wait, work: () => Promise<void>): Promise<void> => {
      while (performance.now() < endMs) {
        const beganMs = performance.now();
        await work().then(
          () => lived[wait].ms.push(performance.now() - beganMs),
          (error: unknown) => lived[wait].failures.push(String(error)),
        );
        await delay(pauseMs[wait]);
      }
    };
    const [first, ...others] = this.#standing;
    if (!first) throw new Error("the neighbour has no sessions");
    await Promise.all([
      again("webhook", () => this.#deliver()),
      again("sandbox", () => this.#start()),
      again("prompt", () => this.#prompt(first)),
      ...others.map(({ uid }, index) =>
        delay((index * pauseMs.events) / eventSessions).then(() => again("events", () => this.#event(uid))),
      ),
    ]);
    return lived;
  }

  stop(): Promise<void> {
    return this.#sandboxes.stop();
  }

  async #deliver(): Promise<void> {
    const { release, namespace, automation, payload } = this.#options;
    const answer = await fetch(`${release.ingressUrl}/webhooks/automation/${namespace}.${automation.name}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${automation.key}` },
      body: payload,
    });
    const text = await answer.text();
    if (!text.includes('"triggered":1')) throw new Error(`a webhook was answered ${answer.status} ${text}`);
  }

  async #start(): Promise<void> {
    const { client } = this.#options;
    const key = this.#named(this.#nextName());
    const session = await client.create(Session, {
      metadata: key,
      spec: { serviceAccountName: "runner", idleTimeoutSeconds: 0 },
    } as unknown as Session);
    const uid = session.metadata.uid ?? "";
    this.#bare.add(uid);
    const seen = within("a pod is created", new Promise<void>((resolve) => this.#pods.set(uid, resolve)));
    await prompt(client, key, `${key.name}-1`);
    await seen;
    this.#pods.delete(uid);
    // What ends it is not measured.
    void client.delete(Session, key).catch(() => undefined);
  }

  async #prompt({ name, uid }: { name: string; uid: string }): Promise<void> {
    const dispatched = within(
      "a prompt is dispatched",
      new Promise<void>((resolve) => this.#prompts.set(uid, resolve)),
    );
    await prompt(this.#options.client, this.#named(name), this.#nextName());
    await dispatched;
    this.#prompts.delete(uid);
  }

  async #event(uid: string): Promise<void> {
    const runtime = this.#sandboxes.runtimes.get(uid);
    if (!runtime) throw new Error("a sandbox of the neighbour is not connected any more");
    await within("an event is stored", runtime.output("It works."));
  }

  #nextName(): string {
    this.#made += 1;
    return `quiet-${this.#made}`;
  }

  #named(name: string): { namespace: string; name: string } {
    return { namespace: this.#options.namespace, name };
  }
}

async function within<T>(what: string, work: Promise<T>): Promise<T> {
  const late = new AbortController();
  const tooLate = delay(limitMs, undefined, { signal: late.signal }).then(() => {
    throw new Error(`not within ${limitMs} ms: ${what}`);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    late.abort();
    tooLate.catch(() => undefined);
  }
}
