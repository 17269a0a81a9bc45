import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { waitUntil } from "../../hack/lib/wait.ts";
import { makeGitHubIntegration } from "../../test/apiserver/connector/github-world.ts";
import type { World } from "../../test/apiserver/connector/world.ts";
import { testCluster } from "../../test/support/cluster.ts";
import { githubHeaders } from "../../test/support/github-events.ts";
import { startIngressProcess } from "../ingress.ts";
import { makeAutomation } from "../world.ts";
import type { FloodAnswers, FloodOptions } from "./flood-sender.ts";
import { atPace, type Figures, figuresOf, type Pace, ratioTo } from "./paced.ts";

export interface MeasuredFlood {
  /** Deliveries to a webhook Automation, without the flood and beside it. */
  alone: Figures;
  beside: Figures;
  /** The p99 beside the flood to that alone. */
  ratio: number;
  /** What the flood's bodies were answered. */
  answers: FloodAnswers;
}

/** GitHub's longest body. */
const longestBytes = 26_214_400;
const inFlight = 16;
const readyMs = 30_000;
const unlimited = { perSecond: 1_000, burst: 10_000 };
const payload = join(import.meta.dirname, "..", "..", "test/fixtures/payloads/alertmanager-v4.json");

/**
 * Deliveries to a webhook while bodies of 25 MiB that are not signed come in at GitHub's route of the same ingress, which is a process of its own,
 * as is the flood's sender a thread.
 */
export async function measureFlood(world: World, pace: Pace, program: string): Promise<MeasuredFlood> {
  const { kubeconfig } = testCluster();
  const { keysNamespace, namespace } = world;
  const integration = await makeGitHubIntegration(world);
  const automation = await makeAutomation(world.client, {
    namespace,
    keysNamespace,
    name: "neighbour",
    rateLimit: unlimited,
  });
  const ingress = await startIngressProcess({
    program,
    kubeconfig,
    keysNamespace,
    nodeOptions: [],
    hasConnector: true,
  });
  try {
    const deliver = await delivery(
      `${ingress.url}/webhooks/automation/${namespace}.${automation.name}`,
      automation.key,
    );
    await waitUntil(deliver, readyMs, () => Promise.resolve("the ingress knows the Automation"));
    const url = `${ingress.url}/integrations/${namespace}.${integration.metadata.name ?? ""}/github`;
    // The first ones are the compiler's.
    await atPace({ ...pace, seconds: 1 }, deliver);
    const alone = figuresOf(await atPace(pace, deliver));
    const flood = await beginFlood(url);
    const beside = figuresOf(await atPace(pace, deliver));
    return { alone, beside, ratio: ratioTo(alone, beside), answers: await flood.end() };
  } finally {
    await ingress.stop();
  }
}

/** Makes deliveries with a body that matches; each gives whether it was accepted. */
async function delivery(url: string, key: string): Promise<() => Promise<boolean>> {
  const body = await readFile(payload);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return async () => {
    const answer = await fetch(url, { method: "POST", headers, body });
    await answer.arrayBuffer();
    return answer.status === 200;
  };
}

async function beginFlood(url: string): Promise<{ end(): Promise<FloodAnswers> }> {
  const signed = githubHeaders(Buffer.alloc(0), { type: "issue_comment", deliveryId: "flood", secret: "another" });
  const workerData: FloodOptions = { url, headers: signed, bytes: longestBytes, inFlight };
  const worker = new Worker(new URL("flood-sender.ts", import.meta.url), { workerData });
  const next = async (): Promise<FloodAnswers> => (await once(worker, "message"))[0] as FloodAnswers;
  await next();
  return {
    async end() {
      const answers = next();
      worker.postMessage("end");
      const counted = await answers;
      await worker.terminate();
      return counted;
    },
  };
}
