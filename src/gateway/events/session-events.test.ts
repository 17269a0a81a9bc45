import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";

import express, { type NextFunction, type Request, type Response } from "express";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { aSession } from "../../../test/support/builders.ts";
import type { Session } from "../../api/v1alpha1/index.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ApiError, apiErrorOf } from "../http/errors.ts";
import { FakeStore } from "./fake-store.ts";
import { segmentKey, segmentLine } from "./segments.ts";
import { eventRoutes } from "./session-events.ts";

let server: Server;
let store: FakeStore;
let clock: FakeClock;
let session: Session;
let stopping: AbortController;
/** What was asked of the API server. */
let asked: string[];
/** Why the caller is refused from now on. */
let refusal: ApiError | undefined;
/** What the API server waits for before it answers. */
let held: Promise<unknown>;

beforeEach(async () => {
  [store, clock, stopping] = [new FakeStore(), new FakeClock(), new AbortController()];
  [asked, refusal, held] = [[], undefined, Promise.resolve()];
  const answer = (what: string): Promise<void> => {
    asked.push(what);
    return refusal ? Promise.reject(refusal) : Promise.resolve();
  };
  session = aSession({ metadata: { namespace: "demo", name: "fix", uid: "u" } });
  const app = express();
  app.use(
    eventRoutes({
      callers: {
        async identify({ headers }) {
          await answer("token");
          return { username: headers.authorization ?? "", uid: undefined, groups: [], extra: {} };
        },
        authorize: ({ username }, { verb, name = "" }) => answer(`${username} ${verb} ${name}`),
      },
      client: { find: <T>() => held.then(() => session as T) },
      sessions: { byUid: () => session },
      owners: { imageByName: () => undefined },
      blobs: store,
      clock,
      metrics: { overShare: { inc: () => undefined } } as never,
      budgetMs: 1_000,
      signal: stopping.signal,
    }),
  );
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const { status, message, code } = apiErrorOf(error);
    response.status(status).json({ error: message, code });
  });
  server = createServer(app);
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterEach(() => {
  stopping.abort();
  server.closeAllConnections();
  server.close();
});

/** Stores events of the first attempt, each in a segment of its own. */
function keep(...seqs: number[]): void {
  for (const seq of seqs) {
    const line = segmentLine({ attempt: 1, seq, time: "2026-05-04T10:15:00.000Z", event: { kind: "ready" } });
    store.blobs.set(segmentKey("u", { attempt: 1, seq }, "w"), line);
  }
}

async function open(query: string, lastEventId?: string, who = "ann"): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const headers = { authorization: who, ...(lastEventId !== undefined && { "last-event-id": lastEventId }) };
  const sent = get({ port, host: "127.0.0.1", path: `/sessions/demo.fix/events?${query}`, headers, agent: false });
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return answer;
}

/** What a stream told until it ended: ids of events, and names of others with what they say. */
async function told(query: string, lastEventId?: string): Promise<string[]> {
  const all = await text(await open(query, lastEventId));
  return all.split("\n\n").flatMap((message) => {
    const name = /^event: (.*)$/m.exec(message)?.[1];
    const before = /"before":"([^"]*)"/.exec(message)?.[1];
    const id = /^id: (.*)$/m.exec(message)?.[1];
    if (name !== undefined) return before === undefined ? [name] : [`${name} ${before}`];
    return id === undefined ? [] : [id];
  });
}

it.each([
  { query: "follow=false", want: ["1.1", "1.2", "1.3", "1.4", "end"] },
  { query: "follow=false&last=1", want: ["older 1.4", "1.4", "end"] },
  { query: "follow=false&last=200", want: ["older 1.3", "1.3", "1.4", "end"] },
  { query: "follow=false&last=1048576", want: ["1.1", "1.2", "1.3", "1.4", "end"] },
  { query: "follow=false&before=1.4", want: ["1.1", "1.2", "1.3", "end"] },
  { query: "last=1&before=1.4", want: ["older 1.3", "1.3", "end"] },
  { query: "last=1&before=1.2", want: ["1.1", "end"] },
  { query: "last=1&before=1.1", want: ["end"] },
])("with $query is $want", async ({ query, want }) => {
  keep(1, 2, 3, 4);
  expect(await told(query)).toEqual(want);
});

it("goes on after Last-Event-ID, however few events it would begin with", async () => {
  keep(1, 2, 3, 4);
  expect(await told("follow=false&last=1", "1.2")).toEqual(["1.3", "1.4", "end"]);
  expect(await told("last=1&before=1.4", "1.1")).toEqual(["1.2", "1.3", "end"]);
});

it("that begins with the newest events gives those that come", async () => {
  keep(1, 2);
  const answer = await open("last=1");
  const got = text(answer);
  await eventually(() => clock.timers === 2);
  keep(3);
  stopWaiting();
  clock.advance(1_000);
  const all = await got;
  expect([...all.matchAll(/^id: (.*)$/gm)].map(([, id]) => id)).toEqual(["1.2", "1.3"]);
});

it.each(["Unauthorized", "Forbidden", "NotFound"] as const)(
  "ends once its caller is %s, asked about once for all streams of the caller",
  async (code) => {
    const answers = [await open(""), await open("last=1"), await open("", undefined, "bob")];
    let ended = 0;
    const all = answers.map((answer) => text(answer).finally(() => (ended += 1)));
    await eventually(() => clock.timers === 5);
    asked = [];
    await passSeconds(55);
    expect([asked.toSorted(), ended]).toEqual([["ann get fix", "bob get fix", "token", "token"], 0]);
    refusal = new ApiError(code, "no");
    await passSeconds(54);
    expect(ended).toBe(0);
    await passSeconds(1);
    // It does not say that the session is finished.
    expect((await Promise.all(all)).join("")).not.toContain("event: end");
    expect(clock.timers).toBe(0);
  },
);

it("goes on while the API server does not answer, and is no longer asked about once it is closed", async () => {
  const answer = await open("");
  let got = "";
  answer.on("data", (piece: Buffer) => (got += piece.toString()));
  await eventually(() => clock.timers === 2);
  refusal = new ApiError("Unavailable", "away");
  asked = [];
  await passSeconds(55);
  expect(asked).toEqual(["token"]);
  keep(1);
  await passSeconds(1);
  await eventually(() => got.includes("id: 1.1"));
  answer.destroy();
  await eventually(() => clock.timers === 0);
});

it("keeps no place for readers who have gone before they began", async () => {
  const admission = Promise.withResolvers<undefined>();
  held = admission.promise;
  const { port } = server.address() as AddressInfo;
  let closed = 0;
  server.on("connection", (socket) => void socket.on("close", () => (closed += 1)).on("error", () => undefined));
  // A namespace has half of 256 places.
  for (let reader = 0; reader < 128; reader += 1) {
    const sent = get({ port, host: "127.0.0.1", path: "/sessions/demo.fix/events", agent: false });
    sent.on("error", () => undefined);
    await eventually(() => asked.length === 2 * (reader + 1));
    sent.destroy();
  }
  await eventually(() => closed === 128);
  admission.resolve(undefined);
  const next = await open("follow=false");
  next.destroy();
  expect(next.statusCode).toBe(200);
  await eventually(() => clock.timers === 0);
});

it("whose events cannot be listed is answered as an error", async () => {
  store.failures.push(new Error("away"));
  expect((await open("last=1")).statusCode).toBe(503);
});

it.each(["last=0", "last=1048577", "last=1&last=2", "before=x", "before=0.1"])("with %s is refused", async (query) => {
  const answer = await open(query);
  expect([answer.statusCode, JSON.parse(await text(answer))]).toMatchObject([400, { code: "InvalidRequest" }]);
});

/** The session is over: streams end with what is stored. */
function stopWaiting(): void {
  session = aSession({ ...session, metadata: { ...session.metadata, deletionTimestamp: "2026-05-04T10:16:00Z" } });
}

/** Lets streams look as often as they do. */
async function passSeconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) {
    clock.advance(1_000);
    for (let turns = 0; turns < 20; turns += 1) await turn();
  }
}

async function eventually(isTrue: () => boolean): Promise<void> {
  await vi.waitUntil(isTrue, { interval: 1 });
}
