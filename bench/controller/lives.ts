import { type Automation, Run } from "../../src/api/v1alpha1/index.ts";
import { makeRun } from "../../src/domain/deliveries/make-run.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import type { Edge } from "./edge.ts";

/** What Runs are started with. */
export interface Lives {
  client: KubeClient;
  edge: Edge;
  automations: readonly Automation[];
}

interface Several {
  /** Of the names of these Runs alone. */
  prefix: string;
  runs: number;
  inFlight: number;
}

const limitMs = 150_000;
const payload = JSON.stringify({ status: "firing", text: "x".repeat(1_500) });

/** Stores the Run that the ingress makes of a delivery. */
export async function startRun({ client, automations }: Lives, index: number, name: string): Promise<void> {
  const automation = automations[index % automations.length];
  if (!automation) throw new Error("there is no Automation to start");
  const { namespace = "", name: of = "", uid = "", generation = 1 } = automation.metadata;
  const delivery = { id: name, receivedAt: new Date(), payload, idempotencyKey: undefined };
  const run = makeRun({ type: "Webhook", namespace, name: of, uid, generation }, delivery, name);
  await client.store(Run, run);
}

/** Has a Run go by; resolves with its milliseconds, and throws where it does not succeed within 150 s. */
export async function live(lives: Lives, index: number, name: string): Promise<number> {
  const beganMs = performance.now();
  const ended = lives.edge.ended(name);
  await startRun(lives, index, name);
  const reason = await within(() => `Run ${name} ends; so far: ${lives.edge.tell(name)}`, ended);
  if (reason !== "Completed") throw new Error(`Run ${name} ended with reason ${reason}`);
  return performance.now() - beganMs;
}

/** Has so many Runs go by, so many of them at once; gives the milliseconds of each. */
export async function liveAll(lives: Lives, { prefix, runs, inFlight }: Several): Promise<number[]> {
  const taken: number[] = [];
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < runs) {
      const index = begun;
      begun += 1;
      taken.push(await live(lives, index, `${prefix}-${index}`));
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, runs) }, work));
  return taken;
}

async function within<T>(what: () => string, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not within ${limitMs / 1_000} s: ${what()}`)), limitMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
