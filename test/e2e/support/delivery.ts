import { services } from "../../../src/kube/core-resources.ts";
import { release } from "./install.ts";
import { forwardService } from "./port-forward.ts";
import type { Workbench } from "./workbench.ts";

/** What a sender was answered. */
export interface Answer {
  what: string;
  status: number;
  /** The parsed JSON body. */
  body: unknown;
}

/** Where deliveries are sent. */
export interface Entrance {
  baseUrl: string;
  close(): void;
}

const name = `${release.name}-ingress`;
const answerLimitMs = 10_000;

/**
 * Opens the way to the ingress Service. On the native cluster this machine is the node, so the Service's own address
 * works, load balancing included; elsewhere kubectl forwards a port to one of its pods.
 */
export async function openEntrance(bench: Workbench): Promise<Entrance> {
  const { namespace } = release;
  const { spec } = await bench.client.get(services, { namespace, name });
  const port = spec?.ports?.[0]?.port ?? 80;
  if (bench.local?.kind === "native" && spec?.clusterIP !== undefined) {
    return { baseUrl: `http://${spec.clusterIP}:${port}`, close: () => undefined };
  }
  const forward = await forwardService(bench, { namespace, name, port });
  return { baseUrl: `http://127.0.0.1:${forward.port}`, close: () => forward.close() };
}

/** One delivery to an Automation, as a sender makes it. */
export interface Delivery {
  what: string;
  /** `<namespace>.<name>`. */
  automation: string;
  key: string;
  body: unknown;
}

/** Sends a delivery and gives the answer, whatever its status; throws when none comes within 10 s. */
export async function deliver(entrance: Entrance, { what, automation, key, body }: Delivery): Promise<Answer> {
  const answer = await fetch(`${entrance.baseUrl}/webhooks/automation/${automation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(answerLimitMs),
  });
  return { what, status: answer.status, body: await answer.json() };
}
