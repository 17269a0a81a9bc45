import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

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
