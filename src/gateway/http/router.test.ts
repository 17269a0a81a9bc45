import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";

import express, { type ErrorRequestHandler } from "express";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";

import { BodyBudget } from "../../lib/body-budget.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { WantedAccess } from "./callers.ts";
import { ApiError, apiErrorOf } from "./errors.ts";
import { apiRouter, type Operation } from "./router.ts";

const operations = {
  say: {
    method: "post",
    path: "/sessions/{id}/prompts",
    summary: "",
    permission: "",
    access: [
      { verb: "get", resource: "sessions", to: "object" },
      { verb: "create", resource: "prompts", to: "namespace" },
    ],
    body: z.strictObject({ text: z.string() }),
    maxBodyBytes: 2_000,
    success: { 200: { description: "", body: z.object({}) } },
  },
} as const satisfies Record<string, Operation>;

let server: Server;
let bodies: BodyBudget;
let said: string[];
let asked: WantedAccess[];
let may: boolean;

beforeEach(async () => {
  [bodies, said, asked, may] = [new BodyBudget({ mostBytes: 4_000 }), [], [], true];
  const caller = { username: "ann", uid: undefined, groups: [], extra: {} };
  const callers = {
    identify: ({ headers }: { headers: { authorization?: string | undefined } }) =>
      headers.authorization ? Promise.resolve(caller) : Promise.reject(new ApiError("Unauthorized", "who")),
    authorize(_caller: unknown, wanted: WantedAccess) {
      asked.push(wanted);
      return may ? Promise.resolve() : Promise.reject(new ApiError("Forbidden", "no"));
    },
  };
  const handlers = {
    say({ body }: { body: { text: string } }) {
      said.push(body.text);
      return Promise.resolve({ status: 200 as const, body: {} });
    },
  };
  const refuse: ErrorRequestHandler = (error, _request, response, _next) => {
    const { status, code } = apiErrorOf(error);
    response.status(status).set("connection", "close").json({ code });
  };
  const app = express().use(apiRouter({ callers, clock: new FakeClock(), budgetMs: 1, bodies }, operations, handlers));
  server = createServer(app.use(refuse)).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const token = "Authorization: Bearer a";
const ofJson = "Content-Type: application/json";

/** The status of a POST of these bytes, which are sent as they stand. */
async function post(body: string, headers: readonly string[] = [token, ofJson]): Promise<number> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
  const head = ["POST /sessions/shop.fix/prompts HTTP/1.1", "Host: h", ...headers];
  socket.write(`${head.join("\r\n")}\r\nConnection: close\r\n${body}`);
  return Number((await text(socket)).split(" ")[1]);
}

const whole = (body: string): string => `Content-Length: ${body.length}\r\n\r\n${body}`;
const json = (bytes: number): string => `{"text":"${"a".repeat(bytes - 11)}"}`;

it("asks for the caller's access to what the path names, and then reads the body", async () => {
  expect(await post(whole('{"text":"hello"}'))).toBe(200);
  expect(asked).toEqual([
    { verb: "get", resource: "sessions", namespace: "shop", name: "fix" },
    { verb: "create", resource: "prompts", namespace: "shop" },
  ]);
  expect(said).toEqual(["hello"]);
});

it.each([
  { name: "without a token", headers: [], mayDo: true, want: 401 },
  { name: "without the right", headers: [token], mayDo: false, want: 403 },
])("answers a request $name while its body has not been sent, and takes no memory for it", async (row) => {
  may = row.mayDo;
  expect(await post("Content-Length: 900\r\n\r\n", row.headers)).toBe(row.want);
  expect(bodies.taken).toBe(0);
});

it.each([
  { bytes: 1_999, want: 200 },
  { bytes: 2_000, want: 200 },
  { bytes: 2_001, want: 413 },
])("answers $want to $bytes of at most 2,000 bytes", async ({ bytes, want }) => {
  expect(await post(whole(json(bytes)))).toBe(want);
});

it.each([
  { chunks: 1_054, want: 200 },
  { chunks: 1_055, want: 200 },
  { chunks: 1_056, want: 413 },
])("answers $want to a body in $chunks chunks", async ({ chunks, want }) => {
  const pieces = json(chunks).replaceAll(/./g, "1\r\n$&\r\n");
  expect(await post(`Transfer-Encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`)).toBe(want);
});

it.each([
  { headers: ["Content-Encoding: identity"], want: 200 },
  { headers: ["Content-Encoding: gzip"], want: 415 },
])("answers $want to $headers", async ({ headers, want }) => {
  expect(await post(whole(json(100)), [token, ofJson, ...headers])).toBe(want);
});

it.each([
  { characters: 256, want: 200 },
  { characters: 257, want: 415 },
])("answers $want to a Content-Type of $characters characters", async ({ characters, want }) => {
  const type = "application/json; a=".padEnd(characters, "b");
  expect(await post(whole(json(100)), [token, `Content-Type: ${type}`])).toBe(want);
});

it("answers 503 to a body for which its namespace has no room left", async () => {
  const room = (bytes: number) =>
    bodies.lend(async (other) => {
      other.take(bytes);
      return post(whole(json(2_000)));
    }, "shop");
  expect(await room(0)).toBe(200);
  expect(await room(1)).toBe(503);
});
