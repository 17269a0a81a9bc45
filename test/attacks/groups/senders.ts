import { openEntrance } from "../../e2e/support/delivery.ts";
import type { Attempt, Group } from "../support/attempt.ts";

const refusal = (name: string, outcome: number): Attempt => ({ name, outcome, counted: `ingress ${outcome}` });
const json = { "content-type": "application/json" };
/** More than the bursts of an Automation at two replicas, and fewer connections at once than one address has. */
const flood = { deliveries: 2_000, atOnce: 250 };
/** How often a request is sent whose connection broke. */
const mostTries = 5;

export const senders: Group = {
  title: "a sender, at the ingress, gets nothing for",
  file: "groups/senders.ts",
  attempts: [
    refusal("a delivery without a key", 401),
    refusal("a delivery with a guessed key", 401),
    refusal("a guessed Automation with a key of another", 404),
    refusal("a path that climbs out of its own", 404),
    refusal("a body of more than 64 KB", 413),
    refusal("a body that is no JSON", 400),
    refusal("a form, as a page of another site can send", 415),
    refusal("a method that changes nothing", 405),
    { name: "2,000 deliveries, 250 at once", counted: "ingress 429" },
  ],
  async run({ stage: { bench }, tenant: { automation, namespace, key } }) {
    const entrance = await openEntrance(bench);
    const path = `/webhooks/automation/${automation}`;
    const bearer = (text: string): Record<string, string> => ({ authorization: `Bearer ${text}` });
    const own = { ...json, ...bearer(key) };
    const sendOnce = async (
      headers: Record<string, string>,
      body: string,
      at = path,
      method = "POST",
    ): Promise<number> => {
      const { status } = await fetch(`${entrance.baseUrl}${at}`, {
        method,
        headers,
        ...(method === "GET" ? {} : { body }),
      });
      return status;
    };
    // A refusal that comes before the whole body was sent may be lost with the connection, which is closed after it.
    const send = async (...request: Parameters<typeof sendOnce>): Promise<number> => {
      for (let tries = 1; ; tries += 1) {
        const status = await sendOnce(...request).catch((error: unknown) => {
          if (tries === mostTries) throw error;
        });
        if (status !== undefined) return status;
      }
    };
    const flooded = async (): Promise<unknown> => {
      const statuses = new Set<number>();
      for (let sent = 0; sent < flood.deliveries && !statuses.has(429); sent += flood.atOnce) {
        // Of so many connections at once the machine itself resets some.
        const answers = Array.from({ length: flood.atOnce }, () => sendOnce(own, "{}").catch(() => 0));
        for (const status of await Promise.all(answers)) statuses.add(status);
      }
      return statuses.has(429) ? "refused" : [...statuses];
    };
    try {
      return {
        "a delivery without a key": await send(json, "{}"),
        "a delivery with a guessed key": await send({ ...json, ...bearer("a".repeat(64)) }, "{}"),
        "a guessed Automation with a key of another": await send(own, "{}", `/webhooks/automation/${namespace}.other`),
        "a path that climbs out of its own": await send(own, "{}", `/webhooks/automation/%2e%2e%2f%2e%2e%2fmetrics`),
        "a body of more than 64 KB": await send(own, JSON.stringify("x".repeat(65_537))),
        "a body that is no JSON": await send(own, "[".repeat(60_000)),
        "a form, as a page of another site can send": await send(
          { ...own, "content-type": "application/x-www-form-urlencoded" },
          "a=b",
        ),
        "a method that changes nothing": await send(own, "", path, "GET"),
        "2,000 deliveries, 250 at once": await flooded(),
      };
    } finally {
      entrance.close();
    }
  },
};
