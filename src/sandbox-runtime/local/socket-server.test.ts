import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { mostRefused } from "../../api/runtime/refused-from-agent.ts";
import { localLimits, localSocketName } from "./messages.ts";
import { RefusalCount } from "./refusal-count.ts";
import { SocketServer } from "./socket-server.ts";

let directory: string;
let server: SocketServer;
let refused: RefusalCount;
/** Requests about children, which are never answered. */
let asked: number;
const opened: Socket[] = [];
/** What becomes of a file that is offered. */
let media: ConstructorParameters<typeof SocketServer>[0]["media"] = () => Promise.reject(new Error("not offered"));

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "socket-"));
  refused = new RefusalCount();
  const log = { info: () => undefined, warn: () => undefined };
  asked = 0;
  const child = (): Promise<never> => {
    asked += 1;
    return new Promise(() => undefined);
  };
  server = new SocketServer({
    directory,
    log,
    credential: () => Promise.resolve({}),
    child,
    pullRequest: ({ title }) => ({ status: 202, body: { title } }),
    tools: () => ({ media: true }),
    media: (file, content) => media(file, content),
    refused: (kind) => refused.add(kind),
  });
  await server.listen();
});

afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  server.close();
  await rm(directory, { recursive: true });
});

function open(): Socket {
  const socket = connect(join(directory, localSocketName));
  socket.on("error", () => undefined).resume();
  opened.push(socket);
  return socket;
}

/** Says something and waits until the connection is over. */
async function say(text: string): Promise<void> {
  const socket = open();
  const closed = once(socket, "close");
  socket.write(text);
  await closed;
}

const introduction = (): string => {
  const agent = { type: "agent", workspace: "/w", home: "/h", program: ["p"], credentialHelper: "", systemCaFile: "" };
  return `${JSON.stringify(agent)}\n`;
};
/** A request of so many bytes with its end of line left out. */
const request = (bytes: number): string => {
  const text = JSON.stringify({ type: "credential", protocol: "https", host: "h", path: "p" });
  return text + " ".repeat(bytes - text.length);
};

it.each([
  { name: "no JSON", text: "{\n", want: { malformed: 1 } },
  { name: "no message", text: '{"type":"exited"}\n', want: { malformed: 1 } },
  { name: "a line at the limit", text: `${request(localLimits.toRuntimeBytes)}\n`, want: undefined },
  { name: "a line above the limit", text: `${request(localLimits.toRuntimeBytes + 1)}\n`, want: { tooLarge: 1 } },
  { name: "a line without an end above it", text: "x".repeat(localLimits.toRuntimeBytes + 1), want: { tooLarge: 1 } },
  { name: "a request, as git makes it", text: `${request(100)}\n`, want: undefined },
])("counts $name", async ({ text, want }) => {
  await say(text);
  expect(refused.take()).toEqual(want);
});

it.each([
  { name: "of the longest texts", title: "t".repeat(400), body: "b".repeat(8_192), want: undefined },
  { name: "with a longer title", title: "t".repeat(401), body: "", want: { malformed: 1 } },
  { name: "with a longer text", title: "t", body: "b".repeat(8_193), want: { malformed: 1 } },
  { name: "without a title", title: "", body: "", want: { malformed: 1 } },
])("counts a request for a pull request $name: $want", async ({ title, body, want }) => {
  await say(`${JSON.stringify({ type: "pullRequest", title, body })}\n`);
  expect(refused.take()).toEqual(want);
});

describe("a file that is offered", () => {
  const offer = (bytes: number, fileName = "a.png"): string =>
    `${JSON.stringify({ type: "media", fileName, bytes })}\n`;
  const piece = (content: string): string => `${JSON.stringify({ piece: Buffer.from(content).toString("base64") })}\n`;

  /** Offers a file and sends these pieces once they are asked for; gives what came of it: the content, or that it broke off. */
  async function sent(bytes: number, ...pieces: string[]): Promise<string> {
    const came = Promise.withResolvers<string>();
    media = async (_, content) => {
      const taken = await content().catch(() => undefined);
      came.resolve(taken?.toString("utf8") ?? "broken off");
      return { status: 201, body: {} };
    };
    const socket = open();
    socket.write(offer(bytes));
    await once(socket, "data");
    for (const one of pieces) socket.write(piece(one));
    if (pieces.join("").length < bytes) socket.end();
    return came.promise;
  }

  it.each([
    ["whole in one piece", 3, ["abc"], "abc"],
    ["whole in several", 3, ["a", "b", "c"], "abc"],
    ["empty", 0, [], ""],
    ["a byte too short", 3, ["ab"], "broken off"],
    ["a byte too long", 3, ["abc", "d"], "abc"],
    ["longer in its first piece", 3, ["abcd"], "broken off"],
  ])("is taken %s", async (_, bytes, pieces, want) => {
    expect(await sent(bytes, ...pieces)).toBe(want);
  });

  it("sends nothing before it is asked for", async () => {
    media = () => new Promise(() => undefined);
    await say(offer(3) + piece("abc"));
    expect(refused.take()).toEqual({ malformed: 1 });
  });

  it.each([
    [1_024, undefined],
    [1_025, { malformed: 1 }],
  ])("has a name of at most 1,024 UTF-16 units: %d", async (length, want) => {
    media = () => Promise.resolve({ status: 409, body: {} });
    await say(offer(3, "n".repeat(length)));
    expect(refused.take()).toEqual(want);
  });
});

it("counts one who says to be the agent after the agent, and leaves the agent alone", async () => {
  open().write(introduction());
  const agent = await server.agent;
  await say(introduction());
  expect(refused.take()).toEqual({ secondAgent: 1 });
  expect(agent.isClosed).toBe(false);
});

it("counts connections above those that there may be at once", async () => {
  const most = 64;
  for (let count = 0; count < most; count += 1) open().write('{"type":"child","request":{"op":"list"}}\n');
  await expect.poll(() => asked, { timeout: 30_000 }).toBe(most);
  await once(open(), "close");
  expect(refused.take()).toEqual({ tooManyConnections: 1 });
});

it("reports each refusal once, and never more than a report may say", () => {
  const count = new RefusalCount();
  for (let times = 0; times <= mostRefused; times += 1) count.add("malformed");
  count.add("tooLarge");
  expect(count.take()).toEqual({ malformed: mostRefused, tooLarge: 1 });
  expect(count.take()).toBeUndefined();
});
