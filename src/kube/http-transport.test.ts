import { getEventListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import type { ApiAccess, Credentials } from "./access.ts";
import { KubeError } from "./errors.ts";
import { HttpTransport } from "./http-transport.ts";

type Handler = (message: IncomingMessage, answer: ServerResponse) => void;

const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** A real server and a transport that talks to it, with a clock that only the test moves. */
async function aTransport(
  handler: Handler,
  { size = 2, path = "", credentials }: { size?: number; path?: string; credentials?: () => Promise<Credentials> } = {},
): Promise<{ transport: HttpTransport; clock: FakeClock; server: Server; sockets: () => number }> {
  let sockets = 0;
  const server = createServer(handler);
  server.on("connection", () => (sockets += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const clock = new FakeClock();
  const access: ApiAccess = {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    credentials: credentials ?? (() => Promise.resolve({ tls: {}, headers: {} })),
  };
  const transport = new HttpTransport({ access, clock, size });
  opened.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  opened.push({
    close: () => {
      server.closeAllConnections();
      return transport.close();
    },
  });
  return { transport, clock, server, sockets: () => sockets };
}

function echo(message: IncomingMessage, answer: ServerResponse): void {
  answer.end(JSON.stringify({ url: message.url, authorization: message.headers.authorization ?? null }));
}

async function failureOf(promise: Promise<unknown>): Promise<{ reason: string; delivery: string }> {
  const error: unknown = await promise.then(
    () => "no failure",
    (failure: unknown) => failure,
  );
  if (!(error instanceof KubeError)) throw new Error(`expected a KubeError, had ${String(error)}`);
  return { reason: error.reason, delivery: error.delivery };
}

const get = { method: "GET", path: "/version" } as const;
const limits = { timeoutMs: 3_000 };

describe("a request", () => {
  it("keeps the path that the server sits behind and brings the answer", async () => {
    const { transport } = await aTransport(echo, { path: "/clusters/c1/" });
    const { status, text } = await transport.send(get, limits);
    expect([status, JSON.parse(text)]).toEqual([200, { url: "/clusters/c1/version", authorization: null }]);
  });

  it("shares warm connections, never more than allowed", async () => {
    const { transport, sockets } = await aTransport(echo, { size: 2 });
    await Promise.all(Array.from({ length: 8 }, () => transport.send(get, limits)));
    await transport.send(get, limits);
    expect(sockets()).toBe(2);
  });

  it.each([
    { header: "7", want: 7 },
    { header: "Wed, 21 Oct 2015 07:28:00 GMT", want: undefined },
    { header: "-1", want: undefined },
  ])("reads Retry-After $header as $want", async ({ header, want }) => {
    const { transport } = await aTransport((_message, answer) =>
      answer.writeHead(429, { "retry-after": header }).end(),
    );
    expect(await transport.send(get, limits)).toMatchObject({ status: 429, retryAfterSeconds: want });
  });
});

describe("a failure", () => {
  it("is unsent when there is no server", async () => {
    const { transport, server } = await aTransport(echo);
    await new Promise((resolve) => server.close(resolve));
    expect(await failureOf(transport.send(get, limits))).toEqual({ reason: "ConnectionFailed", delivery: "unsent" });
  });

  it.each<{ name: string; handler: Handler }>([
    {
      name: "the connection breaks before the answer",
      handler: (message) => message.resume().on("end", () => message.socket.destroy()),
    },
    {
      name: "the answer breaks off",
      handler: (message, answer) => {
        answer.writeHead(200, { "content-length": 100 }).write("{");
        message.socket.end();
      },
    },
  ])("is lost when $name", async ({ handler }) => {
    const { transport } = await aTransport(handler);
    const request = { method: "POST", path: "/", body: "{}" } as const;
    expect(await failureOf(transport.send(request, limits))).toEqual({ reason: "ConnectionFailed", delivery: "lost" });
  });

  it("is lost when time runs out after it was sent", async () => {
    const arrived = Promise.withResolvers<undefined>();
    const { transport, clock } = await aTransport(() => arrived.resolve(undefined));
    const failure = failureOf(transport.send(get, limits));
    await arrived.promise;
    clock.advance(2_999);
    clock.advance(1);
    expect(await failure).toEqual({ reason: "Timeout", delivery: "lost" });
  });

  it("is unsent when time runs out in the queue, and leaves the connection to the others", async () => {
    const waiting: ServerResponse[] = [];
    const arrived = Promise.withResolvers<undefined>();
    const { transport, clock, sockets } = await aTransport(
      (message, answer) => {
        waiting.push(answer);
        if (message.url === "/first") arrived.resolve(undefined);
        else answer.end("{}");
      },
      { size: 1 },
    );
    const first = transport.send({ method: "GET", path: "/first" }, { timeoutMs: 60_000 });
    await arrived.promise;
    const second = failureOf(transport.send({ method: "POST", path: "/second", body: "{}" }, limits));
    const third = transport.send({ method: "GET", path: "/third" }, { timeoutMs: 60_000 });
    await new Promise(setImmediate);
    clock.advance(3_000);
    expect(await second).toEqual({ reason: "Timeout", delivery: "unsent" });
    waiting[0]?.end("{}");
    await Promise.all([first, third]);
    expect([waiting.map(({ req }) => req.url), sockets()]).toEqual([["/first", "/third"], 1]);
  });

  it("is the caller's own when its signal ends it, and nothing listens any more", async () => {
    const arrived = Promise.withResolvers<undefined>();
    const { transport } = await aTransport(() => arrived.resolve(undefined));
    const abort = new AbortController();
    const failure = failureOf(transport.send(get, { ...limits, signal: abort.signal }));
    await arrived.promise;
    expect(getEventListeners(abort.signal, "abort")).toHaveLength(1);
    abort.abort();
    expect(await failure).toEqual({ reason: "Aborted", delivery: "lost" });
    expect(getEventListeners(abort.signal, "abort")).toHaveLength(0);
    expect(await failureOf(transport.send(get, { ...limits, signal: abort.signal }))).toEqual({
      reason: "Aborted",
      delivery: "unsent",
    });
  });
});

describe("a stream", () => {
  const streamLimits = { timeoutMs: 3_000, idleTimeoutMs: 500 };
  const silentSink = (): void => undefined;

  it("hands over what comes and ends with the server", async () => {
    const { transport } = await aTransport((_message, answer) => answer.write("one\n", () => answer.end("two\n")));
    let text = "";
    const ended = await transport.stream(get, streamLimits, (bytes) => void (text += bytes.toString()));
    expect([ended, text]).toEqual([undefined, "one\ntwo\n"]);
  });

  it("brings a refusal as an answer", async () => {
    const { transport } = await aTransport((_message, answer) => answer.writeHead(410).end("gone"));
    expect(await transport.stream(get, streamLimits, silentSink)).toMatchObject({ status: 410, text: "gone" });
  });

  it("is dead after the given silence, counted from the last byte", async () => {
    const piece = Promise.withResolvers<ServerResponse>();
    const { transport, clock } = await aTransport((_message, answer) => {
      answer.write("one");
      piece.resolve(answer);
    });
    let heard = Promise.withResolvers<undefined>();
    const failure = failureOf(transport.stream(get, streamLimits, () => heard.resolve(undefined)));
    await heard.promise;
    clock.advance(499);
    heard = Promise.withResolvers();
    (await piece.promise).write("two");
    await heard.promise;
    clock.advance(499);
    let isOver = false;
    void failure.then(() => (isOver = true));
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    clock.advance(1);
    expect(await failure).toEqual({ reason: "Timeout", delivery: "lost" });
  });

  it("ends with what its reader throws", async () => {
    const { transport } = await aTransport((_message, answer) => answer.write("one"));
    const chunk = (): void => {
      throw new Error("not what was expected");
    };
    await expect(transport.stream(get, streamLimits, chunk)).rejects.toThrow("not what was expected");
  });
});

describe("credentials", () => {
  function rotating(): { credentials: () => Promise<Credentials>; reads: () => number } {
    let reads = 0;
    const credentials = (): Promise<Credentials> => {
      reads += 1;
      return Promise.resolve({ tls: {}, headers: { authorization: `Bearer token-${reads}` } });
    };
    return { credentials, reads: () => reads };
  }

  it("are read again after a minute", async () => {
    const { credentials } = rotating();
    const { transport, clock, sockets } = await aTransport(echo, { credentials, size: 1 });
    const tokens = [];
    for (const advanceMs of [0, 59_999, 1]) {
      clock.advance(advanceMs);
      tokens.push((JSON.parse((await transport.send(get, limits)).text) as { authorization: string }).authorization);
    }
    expect(tokens).toEqual(["Bearer token-1", "Bearer token-1", "Bearer token-2"]);
    expect(sockets()).toBe(1);
  });

  it("are read again after a 401, but not for each of many", async () => {
    const { credentials, reads } = rotating();
    const { transport, clock } = await aTransport(
      (message, answer) => answer.writeHead(message.headers.authorization === "Bearer token-2" ? 200 : 401).end("{}"),
      { credentials },
    );
    expect((await transport.send(get, limits)).status).toBe(401);
    clock.advance(2_000);
    expect((await transport.send(get, limits)).status).toBe(200);
    expect(reads()).toBe(2);
  });

  it("with another certificate get connections of their own", async () => {
    let cert = "first";
    const credentials = (): Promise<Credentials> => Promise.resolve({ tls: { cert }, headers: {} });
    const { transport, clock, sockets } = await aTransport(echo, { credentials, size: 1 });
    await transport.send(get, limits);
    cert = "second";
    clock.advance(60_000);
    await transport.send(get, limits);
    expect(sockets()).toBe(2);
  });

  it("that cannot be had fail the request, and nothing of them is shown", async () => {
    const credentials = (): Promise<Credentials> => Promise.resolve(JSON.parse('{"token":"secret') as Credentials);
    const { transport } = await aTransport(echo, {
      credentials: async () => credentials(),
    });
    const error: unknown = await transport.send(get, limits).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ reason: "CredentialsUnavailable", delivery: "unsent" });
    expect(String(error)).not.toContain("secret");
  });
});
