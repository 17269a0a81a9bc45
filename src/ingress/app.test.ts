import { once } from "node:events";
import type { Server } from "node:http";
import { connect, type AddressInfo } from "node:net";

import { afterAll, beforeAll, expect, it } from "vitest";

import type { AnswerFacts } from "./answer-facts.ts";
import { FakeClock } from "../lib/fake-clock.ts";
import { BodyBudget } from "../lib/body-budget.ts";
import { createIngressApp } from "./app.ts";
import { createIngressServer } from "./http-server.ts";
import { RateLimits } from "./rate-limits.ts";

const answers: AnswerFacts[] = [];
let failure: Error | undefined;
let server: Server;

beforeAll(async () => {
  const clock = new FakeClock();
  const app = createIngressApp({
    clock,
    requests: new RateLimits(clock),
    bodies: new BodyBudget(),
    automations: { read: () => (failure ? Promise.reject(failure) : Promise.resolve(undefined)) },
    runs: { create: () => Promise.resolve({ verdict: "triggered", message: "" }) },
    ledger: { note: () => undefined, countRefusal: () => undefined },
    observer: { answered: (facts) => void answers.push(facts) },
    random: { bytes: (size) => Buffer.alloc(size) },
  });
  server = createIngressServer({ listener: app });
  server.listen(0);
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends what is given and nothing else; gives the status and the parsed body. */
async function exchange(requestLine: string, headers = ""): Promise<{ status: number; body: unknown; head: string }> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(`${requestLine} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${headers}\r\n`);
  await once(socket, "close");
  const [head = "", body = ""] = Buffer.concat(chunks).toString().split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body: body === "" ? undefined : JSON.parse(body), head };
}

const anError = { error: expect.stringMatching(/.{5,}/) as string };
const json = "Content-Type: application/json\r\nAuthorization: Bearer k\r\nContent-Length: 0\r\n";

it.each([
  ["POST *", 404],
  ["OPTIONS *", 404],
  ["POST /", 404],
  ["POST /webhooks/automation/a.b/x", 404],
  ["TRACE /webhooks/automation/a.b/x", 404],
  ["TRACE /x//webhooks/automation/a.b", 404],
  ["TRACE http://h/x/webhooks/automation/a.b", 404],
  ["TRACE ftp://h/webhooks/automation/a.b", 404],
  ["POST /webhooks/../webhooks/automation/a.b", 404],
  ["POST /webhooks/automation/%zz", 404],
  ["POST /webhooks%2Fautomation/a.b", 404],
  ["POST /%", 404],
  ["POST /webhooks/automation/?a.b", 404],
  ["POST /webhooks/automation/__proto__", 404],
  ["TRACE /webhooks/automation/a.b", 405],
  ["TRACE //webhooks/automation/a.b", 405],
  ["TRACE /webhooks//automation/a.b", 405],
  ["TRACE /webhooks/automation//a.b", 405],
  ["TRACE /webhooks/automation/a.b/", 405],
  ["TRACE /webhooks/automation/a.b//", 405],
  ["TRACE /webhooks/automation/a.b/?x=/y", 405],
  ["TRACE /webhooks/error-tracker/a.b/", 405],
  ["TRACE http://h/webhooks/automation/a.b", 405],
  ["TRACE https://h:8443//webhooks/automation/a.b/?x", 405],
])("%s: %i", async (requestLine, want) => {
  const { status, body } = await exchange(requestLine, json);
  expect(status).toBe(want);
  expect(body).toEqual(anError);
});

it.each(["POST /healthz", "HEAD /", "GET http://h/automation/a.b", "POST /webhooks/automation/a.b/c?d=e"])(
  "answers %s with the few headers of a refusal",
  async (requestLine) => {
    const { head } = await exchange(requestLine, json);
    const want = ["content-type: application/json; charset=utf-8", "content-length: 21", "cache-control: no-store"];
    const lines = head.replace(/Date: [^\r]*\r\n/, "").split("\r\n");
    expect(lines).toEqual(["HTTP/1.1 404 Not Found", ...want, "Connection: close"]);
  },
);

it("answers a mistake of ours with 503, Retry-After and nothing of its insides", async () => {
  failure = new TypeError("planted insides");
  const { status, body, head } = await exchange("POST /webhooks/automation/a.b", json);
  failure = undefined;
  expect(status).toBe(503);
  expect(head).toMatch(/\r\nretry-after: 2(\r\n|$)/i);
  expect(JSON.stringify(body)).not.toContain("planted");
  expect(answers.at(-1)).toMatchObject({ outcome: "Unavailable", cause: "bug", automation: "a.b", status: 503 });
});

it("records a sender that went away as such", async () => {
  const before = answers.length;
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(`POST /webhooks/automation/a.b HTTP/1.1\r\nHost: h\r\n${json.replace("0", "10")}\r\n12345`);
  await once(socket, "ready");
  await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  while (answers.length === before) await new Promise((resolve) => setImmediate(resolve));
  expect(answers.at(-1)).toMatchObject({ outcome: "SenderGone", status: 0 });
});
