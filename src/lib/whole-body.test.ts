import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { BodyError, type BodyReading, countBody, mostPieces, readWholeBody } from "./whole-body.ts";

let server: Server;
let sockets: Socket[];
let arrived: (request: IncomingMessage) => void;

beforeEach(async () => {
  sockets = [];
  server = createServer((request, response) => {
    response.on("error", () => undefined);
    arrived(request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.closeAllConnections();
  server.close();
});

/** A request whose headers these are and whose body is still to be sent. */
async function begin(headers: string): Promise<{ request: IncomingMessage; socket: Socket }> {
  const request = new Promise<IncomingMessage>((resolve) => (arrived = resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket.on("error", () => undefined));
  socket.write(`POST / HTTP/1.1\r\nHost: h\r\n${headers}\r\n\r\n`);
  return { request: await request, socket };
}

const chunked = "Transfer-Encoding: chunked";
const chunks = (count: number, bytes = 1): string => `${bytes.toString(16)}\r\n${"a".repeat(bytes)}\r\n`.repeat(count);
const end = "0\r\n\r\n";

/** What came of reading a body that is sent at once. */
async function read(headers: string, body: string, reading: BodyReading): Promise<string> {
  const { request, socket } = await begin(headers);
  const outcome = readWholeBody(request, reading).then(String, (error: unknown) =>
    error instanceof BodyError ? error.problem : String(error),
  );
  socket.write(body);
  return outcome;
}

describe("readWholeBody", () => {
  it.each([
    { name: "of no bytes", headers: "Content-Length: 0", body: "", want: "" },
    { name: "in one piece", headers: "Content-Length: 5", body: "hello", want: "hello" },
    { name: "in three chunks", headers: chunked, body: "2\r\nab\r\n1\r\nc\r\n2\r\nde\r\n0\r\n\r\n", want: "abcde" },
    { name: "as long as the longest", headers: "Content-Length: 10", body: "0123456789", want: "0123456789" },
    { name: "longer by its Content-Length", headers: "Content-Length: 11", body: "", want: "TooLarge" },
    { name: "longer by a byte", headers: chunked, body: chunks(11), want: "TooLarge" },
  ])("a body $name is $want", async ({ headers, body, want }) => {
    expect(await read(headers, body, { longestBytes: 10 })).toBe(want);
  });

  it("says that the sender is gone", async () => {
    const { request, socket } = await begin("Content-Length: 10");
    const reading = readWholeBody(request, { longestBytes: 10 });
    socket.destroy();
    await expect(reading).rejects.toMatchObject({ problem: "SenderGone" });
    await expect(readWholeBody(request, { longestBytes: 10 })).rejects.toMatchObject({ problem: "SenderGone" });
  });

  it.each([
    { pieces: 2_048, want: "a".repeat(2_048) },
    { pieces: 2_049, want: "TooManyPieces" },
  ])("a body of $pieces bytes in as many pieces", async ({ pieces, want }) => {
    expect(await read(chunked, chunks(pieces) + end, { longestBytes: 65_536 })).toBe(want);
  });

  it("takes no more room than twice what has come, and no more than the longest body has", async () => {
    const taken: number[] = [];
    const room = { take: (bytes: number) => taken.push(bytes) > 0 };
    await read(chunked, chunks(1_000) + end, { longestBytes: 1_000, room });
    const steps = taken.map((_, at) => taken.slice(0, at + 1).reduce((sum, bytes) => sum + bytes, 0));
    expect(steps).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000]);
  });

  it("keeps nothing where there is no room", async () => {
    let left = 5;
    const room = { take: (bytes: number) => (left -= bytes) >= 0 };
    expect(await read("Content-Length: 5", "hello", { longestBytes: 10, room })).toBe("hello");
    expect(await read("Content-Length: 1", "h", { longestBytes: 10, room })).toBe("NoRoom");
  });

  it("shows each piece, and passes on what looking at it throws", async () => {
    const pieces: string[] = [];
    await read(chunked, `2\r\nab\r\n1\r\nc\r\n${end}`, {
      longestBytes: 10,
      onPiece: (piece) => {
        pieces.push(piece.toString());
        return undefined;
      },
    });
    expect(pieces).toEqual(["ab", "c"]);
    const onPiece = (): undefined => {
      throw new Error("no");
    };
    expect(await read("Content-Length: 1", "h", { longestBytes: 10, onPiece })).toBe("Error: no");
  });

  it("reads nothing while it is held back, and the rest afterwards", async () => {
    const { request, socket } = await begin("Content-Length: 2");
    const [first, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    let seen = "";
    const onPiece = (piece: Buffer): Promise<void> => {
      seen += piece.toString();
      first.resolve(undefined);
      return held.promise;
    };
    const body = readWholeBody(request, { longestBytes: 10, onPiece });
    socket.write("a");
    await first.promise;
    socket.write("b");
    expect([seen, request.isPaused()]).toEqual(["a", true]);
    held.resolve(undefined);
    expect(String(await body)).toBe("ab");
  });

  it("discards the rest where holding back fails", async () => {
    const { request, socket } = await begin("Content-Length: 2");
    const onPiece = (): Promise<void> => Promise.reject(new Error("too long"));
    const body = readWholeBody(request, { longestBytes: 10, onPiece });
    const ended = once(request, "end");
    socket.write("a");
    await expect(body).rejects.toThrow("too long");
    socket.write("b");
    await ended;
  });

  it("holds no more of pieces of a byte than of one piece: what came with them from the socket goes", async () => {
    const { request, socket } = await begin(chunked);
    const body = readWholeBody(request, { longestBytes: 65_536 });
    socket.write(chunks(2_000) + end);
    const { buffer, length } = await body;
    expect([length, buffer.byteLength]).toEqual([2_000, 2_048]);
  });
});

describe("countBody", () => {
  it("gives the length, and refuses as reading does", async () => {
    const { request, socket } = await begin(chunked);
    socket.write(chunks(10) + end);
    expect(await countBody(request, { longestBytes: 10 })).toBe(10);
    const other = await begin(chunked);
    other.socket.write(chunks(2_049) + end);
    await expect(countBody(other.request, { longestBytes: 65_536 })).rejects.toMatchObject({
      problem: "TooManyPieces",
    });
  });
});

it.each([
  { bytes: 0, longestBytes: 0, want: 1_024 },
  { bytes: 1, longestBytes: 65_536, want: 2_048 },
  { bytes: 65_536, longestBytes: 65_536, want: 2_048 },
  { bytes: 1, longestBytes: 26_214_400, want: 2_048 },
  { bytes: 65_536, longestBytes: 26_214_400, want: 3_072 },
  { bytes: 26_214_400, longestBytes: 26_214_400, want: 410_624 },
])("$bytes of $longestBytes bytes come in at most $want pieces", ({ bytes, longestBytes, want }) => {
  expect(mostPieces(bytes, longestBytes)).toBe(want);
});
