import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { expect, it } from "vitest";

import { hashApiKey } from "../domain/keys.ts";
import type { WebhookEndpoint } from "../domain/deliveries/delivery.ts";
import { Refusal } from "../domain/deliveries/refusal.ts";
import { FakeClock } from "../lib/fake-clock.ts";
import { systemRandom } from "../lib/random.ts";
import { createLogger } from "../telemetry/logger.ts";
import { accessLog } from "./access-log.ts";
import type { AnswerFacts } from "./answer-facts.ts";
import { BodyBudget } from "../lib/body-budget.ts";
import { createIngressApp } from "./app.ts";
import { createIngressServer } from "./http-server.ts";
import { RateLimits } from "./rate-limits.ts";

const facts: AnswerFacts = {
  deliveryId: "d",
  method: "POST",
  status: 200,
  outcome: "triggered",
  cause: "c",
  automation: "a.b",
  bytes: 2,
  durationMs: 1.26,
  traceId: "t",
};
/** What the logger itself writes into every line. */
const ofEveryLine = ["level", "time", "process", "message"];

function world() {
  const lines: string[] = [];
  const logger = createLogger({ process: "ingress", level: "info" }, { write: (line) => void lines.push(line) });
  return {
    lines,
    log: accessLog(logger),
    parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

it("writes the fields of an answer and no other, whatever else a caller passes", () => {
  const { lines, log, parsed } = world();
  const more = { body: "planted-1", headers: { authorization: "planted-2" }, token: "planted-3", url: "/?planted-4" };
  log({ ...facts, ...more });
  expect(parsed()).toEqual([
    {
      ...facts,
      durationMs: 1.3,
      ...Object.fromEntries(ofEveryLine.map((name) => [name, expect.any(String) as string])),
    },
  ]);
  expect(lines.join("")).not.toContain("planted");
});

it.each([
  { name: "below", status: 499, level: "info", hasError: false },
  { name: "at", status: 500, level: "warn", hasError: true },
  { name: "above", status: 503, level: "warn", hasError: true },
])("adds the error, without its secrets, to an answer whose status is $name 500", ({ status, level, hasError }) => {
  const { lines, log, parsed } = world();
  log({ ...facts, status, error: Object.assign(new Error("away"), { token: "planted" }) });
  expect(parsed()).toMatchObject([{ level, status }]);
  expect("err" in (parsed()[0] ?? {})).toBe(hasError);
  expect(lines.join("")).not.toContain("planted");
});

const endpoint: WebhookEndpoint = {
  type: "Webhook",
  namespace: "a",
  name: "b",
  uid: "u",
  authentication: { type: "Bearer" },
  keyHash: hashApiKey("planted-key"),
  signingSecrets: ["planted-secret"],
  automation: new Refusal({ code: "Unavailable", message: "planted message", cause: "invalid-automation" }),
};

it("has nothing of a request's headers, body, query or malformed path", async () => {
  const { lines, log, parsed } = world();
  const clock = new FakeClock();
  const app = createIngressApp({
    clock,
    random: systemRandom,
    requests: new RateLimits(clock),
    bodies: new BodyBudget(),
    automations: { read: () => Promise.resolve(endpoint) },
    runs: { create: () => Promise.resolve({ verdict: "triggered", message: "planted message" }) },
    ledger: { note: () => undefined, countRefusal: () => undefined },
    observer: { answered: log },
  });
  const server = createIngressServer({ listener: app }).listen(0);
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/automation`;
  const post = async (path: string, headers: Record<string, string>, method = "POST"): Promise<number> => {
    const body = method === "POST" ? '{"planted":"planted-body"}' : undefined;
    const more = { "content-type": "application/json", "x-planted": "planted-header", ...headers };
    const answer = await fetch(`${base}/${path}`, { method, headers: more, body: body ?? null });
    await answer.text();
    return answer.status;
  };
  const right = { authorization: "Bearer planted-key", traceparent: "planted-parent" };
  expect(await post("a.b?token=planted-query", right)).toBe(503);
  expect(await post("a.b", { authorization: "Bearer planted-wrong" })).toBe(401);
  expect(await post("planted_id", right)).toBe(404);
  expect(await post("a.b", { ...right, "content-type": "text/planted" })).toBe(415);
  expect(await post("a.b?planted", right, "GET")).toBe(405);
  server.closeAllConnections();
  server.close();
  expect(lines).toHaveLength(5);
  expect(lines.join("")).not.toContain("planted");
  const known = [...Object.keys(facts), ...ofEveryLine];
  expect(
    parsed()
      .flatMap((line) => Object.keys(line))
      .filter((field) => !known.includes(field)),
  ).toEqual([]);
});
