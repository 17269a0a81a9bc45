import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { firstPart } from "../../test/support/first-part.ts";

import { OneTimeAccess } from "../cli/gateway/one-time-access.ts";
import { systemRandom } from "../lib/random.ts";
import { createPageServer } from "./page-server.ts";

const files = [
  { path: "/", type: "text/html; charset=utf-8", content: Buffer.from("<!doctype html>") },
  { path: "/assets/main-A.js", type: "text/javascript; charset=utf-8", content: Buffer.from("1;") },
];
/** Requests that reached the gateway. */
let heard: { method: string | undefined; url: string | undefined; headers: IncomingMessage["headers"]; body: string }[];
let gateway: Server;
let page: Server;
let access: OneTimeAccess;
let errors: unknown[];
let dropped: number;
let isGatewayAway: boolean;

beforeAll(async () => {
  gateway = createServer((from, to) => {
    void text(from).then((body) => {
      heard.push({ method: from.method, url: from.url, headers: from.headers, body });
      const content = { "content-type": "application/json", "content-disposition": "attachment" };
      to.writeHead(200, { ...content, "set-cookie": "a=b", server: "x" }).end('{"ok":true}');
    });
  });
  await once(gateway.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => {
  gateway.close();
  page.close();
});
beforeEach(async () => {
  [heard, errors, dropped, isGatewayAway] = [[], [], 0, false];
  const port = (): number => (page.address() as AddressInfo).port;
  access = new OneTimeAccess({ random: systemRandom, port, token: () => Promise.resolve("mine"), namespace: "demo" });
  page = createPageServer({
    files,
    access,
    gateway: {
      host: "gateway.example",
      connect: () =>
        isGatewayAway
          ? Promise.reject(new Error("away: secret detail"))
          : Promise.resolve(connect((gateway.address() as AddressInfo).port, "127.0.0.1")),
    },
    onError: (error) => void errors.push(error),
    onDropped: () => void (dropped += 1),
  });
  await once(page.listen(0, "127.0.0.1"), "listening");
});

interface Answered {
  status: number | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

async function send(path: string, headers: Record<string, string> = {}, method = "GET", body = ""): Promise<Answered> {
  const { port } = page.address() as AddressInfo;
  const sent = request({ port, host: "127.0.0.1", path, method, headers });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

/** The cookie that the address with the code is exchanged for. */
async function signedIn(): Promise<{ cookie: string }> {
  const { headers } = await send(new URL(access.address()).pathname + new URL(access.address()).search);
  return { cookie: headers["set-cookie"]![0]!.split(";")[0]! };
}

const own = { "sec-fetch-site": "same-origin", "content-type": "application/json" };

it("exchanges the code once for a cookie that scripts cannot read", async () => {
  const { pathname, search } = new URL(access.address());
  const first = await send(pathname + search);
  expect([first.status, first.headers.location]).toEqual([303, "/"]);
  expect(first.headers["set-cookie"]?.[0]).toMatch(/^runwright-page-\d+=\S{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  expect((await send(pathname + search)).status).toBe(403);
  expect((await send("/?code=")).status).toBe(403);
  expect((await send(`/?code=${"A".repeat(43)}`)).status).toBe(403);
});

it("forwards with the person's token, and neither cookies nor other headers", async () => {
  const cookie = await signedIn();
  const answer = await send("/api/automations?limit=3", { ...cookie, authorization: "Bearer other", "x-mine": "1" });
  expect([answer.status, answer.body]).toEqual([200, '{"ok":true}']);
  expect(answer.headers).not.toHaveProperty("set-cookie");
  expect(answer.headers).not.toHaveProperty("server");
  expect(answer.headers["cache-control"]).toBe("no-store");
  expect(answer.headers["content-disposition"]).toBe("attachment");
  expect(heard[0]).toMatchObject({ method: "GET", url: "/automations?limit=3" });
  expect(heard[0]!.headers).toEqual({ host: "gateway.example", authorization: "Bearer mine", connection: "close" });
});

it("forwards a body", async () => {
  const cookie = await signedIn();
  await send("/api/sessions/a.b/prompts", { ...cookie, ...own }, "POST", '{"text":"go on"}');
  expect(heard[0]).toMatchObject({ method: "POST", body: '{"text":"go on"}' });
});

it.each([
  ["without a cookie", {}],
  ["with another cookie", { cookie: "runwright-page-1=x" }],
])("answers 401 %s and asks the gateway nothing", async (_, headers) => {
  expect((await send("/api/automations", headers)).status).toBe(401);
  expect(heard).toEqual([]);
});

it.each<[string, string, Record<string, string>, string, number]>([
  ["a write of another site", "/api/automations/a.b/pause", { ...own, "sec-fetch-site": "cross-site" }, "POST", 403],
  ["a write without JSON", "/api/automations/a.b/pause", { "sec-fetch-site": "same-origin" }, "POST", 415],
  ["a tunnel", "/api/sessions/a.b/tunnels/3000/", {}, "GET", 404],
  ["another host name", "/api/automations", { host: "attacker.example" }, "GET", 403],
  ["an unknown path", "/etc/passwd", {}, "GET", 404],
  ["a path above the page", "/assets/../../etc/passwd", {}, "GET", 404],
])("refuses %s", async (_, path, headers, method, status) => {
  const answer = await send(path, { ...(await signedIn()), ...headers }, method);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.body)).toHaveProperty("error");
  expect(heard).toEqual([]);
});

it.each(["/", "/automations", "/automations/demo.triage", "/sessions/demo.fix", "/analytics", "/new", "/new-secret"])(
  "shows the document at %s with a policy that lets nothing else run",
  async (path) => {
    const { status, headers, body } = await send(path);
    expect([status, body]).toEqual([200, "<!doctype html>"]);
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'",
    );
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["cache-control"]).toBe("no-cache");
  },
);

it("lets browsers keep files whose names have a digest", async () => {
  expect((await send("/assets/main-A.js")).headers["cache-control"]).toContain("immutable");
});

it("says that the gateway is away, and no detail of why", async () => {
  isGatewayAway = true;
  const { status, body } = await send("/api/automations", await signedIn());
  expect(status).toBe(502);
  expect(body).not.toContain("secret");
  expect(errors).toHaveLength(1);
});

it("ends the connection of a body that waits in more than 1,040 pieces", async () => {
  const unread = Promise.withResolvers<IncomingMessage>();
  const token = Promise.withResolvers<string | undefined>();
  access.token = (from) => {
    unread.resolve(from);
    return token.promise;
  };
  const socket = connect((page.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
  const headers = Object.entries({ host: "localhost", ...own, "transfer-encoding": "chunked" });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const piece = "1\r\nx\r\n";
  try {
    socket.write(`POST /api/sessions/a.b/prompts HTTP/1.1\r\n${head}\r\n${piece.repeat(1_040)}`);
    const waiting = await unread.promise;
    await expect.poll(() => waiting.readableLength).toBe(1_040);
    expect(waiting.destroyed).toBe(false);
    socket.write(piece);
    await expect.poll(() => waiting.destroyed).toBe(true);
  } finally {
    token.resolve(undefined);
    socket.destroy();
  }
});

it("parses 4,096 bytes at once", () => {
  expect(firstPart(page, "connection")).toBe(4_096);
});

it("gives an address 512 of 1,024 connections, and headers 10 seconds", async () => {
  const { port } = page.address() as AddressInfo;
  const dial = (localAddress: string): Socket =>
    connect({ port, host: "127.0.0.1", localAddress }).on("error", () => undefined);
  const sockets = Array.from({ length: 512 }, () => dial("127.0.0.1"));
  try {
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    expect(dropped).toBe(0);
    const beyond = dial("127.0.0.1");
    await once(beyond, "close");
    expect(dropped).toBe(1);
    const other = dial("127.0.0.2");
    sockets.push(other);
    other.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(other, "data");
    expect([dropped, page.maxConnections, page.headersTimeout]).toEqual([1, 1_024, 10_000]);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
