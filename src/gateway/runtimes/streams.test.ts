import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { streamLimits } from "../../api/runtime/limits.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { systemRandom as random } from "../../lib/random.ts";
import { type ConnectedRuntime, Streams } from "./streams.ts";
import { mostUnread } from "./unread-frames.ts";

let clock: FakeClock;
let streams: Streams;
let asked: string[];
let refused: number;
let flooded: number;
let used: string[];

beforeEach(() => {
  clock = new FakeClock();
  streams = new Streams({
    clock,
    random,
    address: () => "10.0.0.1:8443",
    // Of sessions such as b/s1; others are alone in theirs.
    namespaceOf: (uid) => uid.split("/")[0]!,
    perNamespace: 500,
    refused: () => (refused += 1),
    flooded: () => (flooded += 1),
    used: ({ sessionUid, attempt }) => void used.push(`${sessionUid} ${String(attempt)}`),
  });
  asked = [];
  refused = 0;
  flooded = 0;
  used = [];
});

const runtime = (sessionUid = "s1", attempt = 1): ConnectedRuntime => ({
  sessionUid,
  attempt,
  send: ({ stream }) => void asked.push(stream),
});

/** How one that was asked for came out. */
const outcome = (opened: Promise<unknown>): Promise<string> =>
  opened.then(
    () => "open",
    (error: unknown) => (error as { code: string }).code,
  );

const aSocket = (): WebSocket => {
  const socket = Object.assign(new EventEmitter(), {
    readyState: 1,
    OPEN: 1,
    pong: (_data: Buffer, _mask: boolean, sent: () => void) => sent(),
    isPaused: false,
    terminate: () => socket.emit("close", 1_006),
    pause: () => undefined,
    resume: () => undefined,
  });
  return socket as unknown as WebSocket;
};

it("says that a port is used: when a stream of it opens, and with each message of the sandbox", async () => {
  const opened = streams.open(runtime("s1", 2), { port: 3000 });
  expect(used).toEqual([]);
  const socket = aSocket();
  streams.claim(asked[0] ?? "", { sessionUid: "s1", attempt: 2 })!(socket);
  await opened;
  expect(used).toEqual(["s1 2"]);
  socket.emit("message", Buffer.from("x"), true);
  expect(used).toEqual(["s1 2", "s1 2"]);
});

it("says at which port nothing answers, and what to do", async () => {
  const { socket, ended } = await opened("s1", { port: 3000 });
  socket.emit("close", streamLimits.portClosed);
  await setImmediate();
  expect(ended()).toMatch(/^nothing answers at port 3000 of the sandbox: start the server there/);
});

/** The socket of a stream that is open, and how it ended. */
async function opened(
  sessionUid: string,
  use: Parameters<Streams["open"]>[1] = { workspace: "save" },
): Promise<{ socket: WebSocket; ended: () => string | undefined }> {
  const opening = streams.open(runtime(sessionUid), use);
  const socket = aSocket();
  streams.claim(asked.at(-1) ?? "", { sessionUid, attempt: 1 })!(socket);
  const stream = await opening;
  let ended: string | undefined;
  stream.on("error", ({ message }) => (ended = message));
  stream.resume();
  return { socket, ended: () => ended };
}

describe("frames of streams", () => {
  it.each([
    { name: "of no bytes", bytes: 0, most: 32_768 },
    { name: "of 8 KiB", bytes: 8_192, most: 65_536 },
  ])("$name: a namespace may send $most at once, and the stream that brings one more ends", async ({ bytes, most }) => {
    const [first, second, other] = [await opened("a/s1"), await opened("a/s2"), await opened("b/s1")];
    const frame = Buffer.alloc(bytes);
    for (let sent = 0; sent < most; sent += 1) (sent % 2 ? first : second).socket.emit("message", frame, true);
    expect(flooded).toBe(0);
    first.socket.emit("message", frame, true);
    other.socket.emit("message", frame, true);
    await setImmediate();
    expect([flooded, first.ended(), second.ended(), other.ended()]).toEqual([
      1,
      expect.stringContaining(
        "namespace a sends more small frames through its tunnels than 8,000 a second after 32,768",
      ),
      undefined,
      undefined,
    ]);
    clock.advance(1_000);
    for (let sent = 0; sent < 8_000; sent += 1) second.socket.emit("message", frame, true);
    expect(flooded).toBe(1);
  });

  it.each(["ping", "pong"])("count each %s", async (kind) => {
    const { socket } = await opened("a/s1");
    for (let sent = 0; sent < 32_768; sent += 1) socket.emit(kind, Buffer.alloc(0));
    expect(flooded).toBe(0);
    socket.emit(kind, Buffer.alloc(0));
    expect(flooded).toBe(1);
  });

  it("of a sandbox that asks and does not read leave 1,024 answers, and its stream ends at one more", async () => {
    const { socket, ended } = await opened("a/s1");
    const unread: (() => void)[] = [];
    const answered: string[] = [];
    socket.pong = (data: Buffer, _mask: boolean, sent: () => void) => {
      answered.push(String(data));
      unread.push(sent);
    };
    for (let sent = 0; sent < mostUnread; sent += 1) socket.emit("ping", Buffer.from("x"));
    unread.shift()?.();
    socket.emit("ping", Buffer.from("y"));
    await setImmediate();
    expect([flooded, ended(), answered.at(-1)]).toEqual([0, undefined, "y"]);
    socket.emit("ping", Buffer.alloc(0));
    expect(flooded).toBe(1);
    socket.emit("ping", Buffer.alloc(0));
    await setImmediate();
    expect([flooded, ended()]).toEqual([1, expect.stringContaining("asks for more answers to pings than it reads")]);
  });

  it("of 16 KiB cost nothing, as a workspace that is saved has", async () => {
    const { socket } = await opened("a/s1");
    for (let sent = 0; sent < 40_000; sent += 1) socket.emit("message", Buffer.alloc(16_384), true);
    expect(flooded).toBe(0);
  });
});

it("takes the saving of a workspace for no use", async () => {
  const opened = streams.open(runtime(), { workspace: "save" });
  const socket = aSocket();
  streams.claim(asked[0] ?? "", { sessionUid: "s1", attempt: 1 })!(socket);
  await opened;
  socket.emit("message", Buffer.from("x"), true);
  expect(used).toEqual([]);
});

it("gives a stream to the runtime that was asked, once", async () => {
  const opened = outcome(streams.open(runtime(), { port: 3000 }));
  const [name = ""] = asked;
  expect(streams.claim(name, { sessionUid: "s2", attempt: 1 })).toBeUndefined();
  expect(streams.claim(name, { sessionUid: "s1", attempt: 2 })).toBeUndefined();
  expect(streams.claim("f".repeat(48), { sessionUid: "s1", attempt: 1 })).toBeUndefined();
  streams.claim(name, { sessionUid: "s1", attempt: 1 })!(aSocket());
  expect(await opened).toBe("open");
  expect(streams.claim(name, { sessionUid: "s1", attempt: 1 })).toBeUndefined();
});

it("does not wait for ever for a stream whose upgrade failed", async () => {
  const opened = outcome(streams.open(runtime(), { port: 3000 }));
  const answered: string[] = [];
  const near = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      answered.push(chunk.toString());
      done();
    },
  });
  const headers = { upgrade: "websocket", "sec-websocket-key": "none", "sec-websocket-version": "13" };
  const request = { method: "GET", url: "/", headers } as unknown as IncomingMessage;
  const take = streams.claim(asked[0] ?? "", { sessionUid: "s1", attempt: 1 })!;
  new WebSocketServer({ noServer: true }).handleUpgrade(request, near, Buffer.alloc(0), take);
  expect(answered.join("")).toMatch(/^HTTP\/1.1 400 /);
  clock.advance(streamLimits.dialMs);
  expect(await Promise.race([opened, setImmediate("waits")])).toBe("SandboxSilent");
});

it.each([
  { afterMs: streamLimits.dialMs - 1, want: "open" },
  { afterMs: streamLimits.dialMs, want: "SandboxSilent" },
])("waits for a dial: $afterMs ms", async ({ afterMs, want }) => {
  const opened = outcome(streams.open(runtime(), { port: 3000 }));
  clock.advance(afterMs);
  streams.claim(asked[0] ?? "", { sessionUid: "s1", attempt: 1 })?.(aSocket());
  expect(await opened).toBe(want);
});

it("has places for so many streams of a session and no more, and others have theirs", async () => {
  for (let index = 0; index < streamLimits.perSession; index += 1)
    void outcome(streams.open(runtime(), { port: 3000 }));
  expect(asked.length).toBe(streamLimits.perSession);
  expect(await outcome(streams.open(runtime(), { port: 3000 }))).toBe("TooManyStreams");
  void outcome(streams.open(runtime("s2"), { port: 3000 }));
  expect(asked.length).toBe(streamLimits.perSession + 1);
  clock.advance(streamLimits.dialMs);
  void outcome(streams.open(runtime(), { port: 3000 }));
  expect(asked.length).toBe(streamLimits.perSession + 2);
});

it("has places for so many streams in all and no more", async () => {
  for (let index = 0; index < streamLimits.perReplica; index += 1)
    void outcome(streams.open(runtime(`s${index}`), { port: 1 }));
  expect(await outcome(streams.open(runtime("other"), { port: 1 }))).toBe("TooManyStreams");
});

it("leaves places to other namespaces, whatever the sessions of one ask for", async () => {
  const ask = (uid: string): Promise<string> => outcome(streams.open(runtime(uid), { port: 1 }));
  for (let session = 0; session < 500; session += 1) void ask(`hostile/s${session}`);
  expect(asked.length).toBe(500);
  expect(await ask("hostile/more")).toBe("TooManyStreams");
  for (let session = 0; session < 262; session += 1) void ask(`second/s${session}`);
  expect(asked.length).toBe(762);
  expect(await ask("second/more")).toBe("TooManyStreams");
  void ask("quiet/s1");
  expect(asked.length).toBe(763);
  expect(refused).toBe(2);
  await expect(streams.open(runtime("hostile/more"), { port: 1 })).rejects.toThrow(
    /^namespace hostile has 500 connections .* ask the platform team for more \(gateway\.limits\.streamsPerNamespace/,
  );
});

it("ends those of attempts that are over, and no others", async () => {
  const over = outcome(streams.open(runtime("s1", 1), { port: 3000 }));
  const going = outcome(streams.open(runtime("s1", 2), { port: 3000 }));
  const other = outcome(streams.open(runtime("s2", 1), { port: 3000 }));
  streams.end("s1", (attempt) => attempt < 2);
  expect(await over).toBe("SandboxNotConnected");
  streams.claim(asked[1] ?? "", { sessionUid: "s1", attempt: 2 })!(aSocket());
  streams.claim(asked[2] ?? "", { sessionUid: "s2", attempt: 1 })!(aSocket());
  expect([await going, await other]).toEqual(["open", "open"]);
});
