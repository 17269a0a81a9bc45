import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { waitUntil } from "../../lib/wait.ts";
import { Connection, DownloadError } from "./connection.ts";
import { download, type Bounds, type Pin } from "./download.ts";
import { startLocalPublisher, type LocalPublisher } from "./local-publisher.ts";

const file = randomBytes(100_000);
const bounds: Bounds = { maxBytes: file.byteLength, resumptions: 2 };

let folder: string;
let path: string;
let publisher: LocalPublisher;
let connection: Connection;
let pin: Pin;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "download-"));
  path = join(folder, "part");
  publisher = await startLocalPublisher({ "/tool": file, "/other": randomBytes(100_000), "/empty": Buffer.alloc(0) });
  connection = new Connection({}, { connectMs: 2_000, silenceMs: 500 });
  pin = { url: `${publisher.origin}/tool`, algorithm: "sha256", digest: sha256(file) };
});
afterEach(async () => {
  await connection.close();
  await publisher.stop();
  await rm(folder, { recursive: true });
});

describe("download", () => {
  it("fills the file with what the pin names, for its owner and not to be run", async () => {
    await get();
    expect(await read()).toEqual(file);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("checks sha512 as well", async () => {
    await get({ ...pin, algorithm: "sha512", digest: createHash("sha512").update(file).digest("hex") });
    expect(await read()).toEqual(file);
  });

  it.each([{ what: "/other" }, { what: "/empty" }])(
    "leaves nothing of $what, whose digest is wrong",
    async ({ what }) => {
      await expect(get({ ...pin, url: `${publisher.origin}${what}` })).rejects.toThrow(pin.digest);
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it.each([{ status: 403 }, { status: 404 }, { status: 500 }])(
    "takes $status for a no and does not ask again",
    async ({ status }) => {
      publisher.next.push(answer(status));
      await expect(get()).rejects.toThrow(new DownloadError(`${pin.url} answers ${status}`));
      expect(publisher.asked).toEqual(["/tool"]);
    },
  );

  it("follows a redirect", async () => {
    publisher.next.push((_, response) => response.writeHead(302, { location: "/tool" }).end());
    await get({ ...pin, url: `${publisher.origin}/latest` });
    expect(await read()).toEqual(file);
  });

  it("goes on where it was cut off", async () => {
    publisher.next.push(cutOffAfter(60_000));
    await get();
    expect(await read()).toEqual(file);
    expect(publisher.asked).toEqual(["/tool", "/tool bytes=60000-"]);
  });

  it("goes on as often as its bounds allow", async () => {
    publisher.next.push(cutOffAfter(10), nothingOfIt, nothingOfIt);
    await expect(get()).rejects.toThrow("cut off 3 times");
    expect(publisher.asked).toHaveLength(3);
    publisher.next.push(nothingOfIt, nothingOfIt);
    await get();
    expect(await read()).toEqual(file);
  });

  it("goes on with what an earlier process left", async () => {
    await writeFile(path, file.subarray(0, 99_999));
    await get();
    expect(await read()).toEqual(file);
    expect(publisher.asked).toEqual(["/tool bytes=99999-"]);
  });

  it("does not ask for what an earlier process had whole", async () => {
    await writeFile(path, file);
    await get();
    expect(publisher.asked).toEqual([]);
  });

  it.each([
    { name: "has other bytes", left: Buffer.alloc(50_000) },
    { name: "is as long and wrong", left: Buffer.alloc(100_000) },
    { name: "is longer", left: Buffer.concat([file, Buffer.alloc(1)]) },
  ])("begins anew when what was left $name", async ({ left }) => {
    await writeFile(path, left);
    await get();
    expect(await read()).toEqual(file);
  });

  it("begins anew where the publisher knows no ranges", async () => {
    await writeFile(path, file.subarray(0, 50_000));
    publisher.next.push((_, response) => response.writeHead(200, { "content-length": file.byteLength }).end(file));
    await get();
    expect(await read()).toEqual(file);
  });

  it("waits for a slow publisher that goes on", async () => {
    publisher.next.push(inPieces(8, 100));
    await get();
    expect(await read()).toEqual(file);
    expect(publisher.asked).toHaveLength(1);
  });

  it("asks a publisher that falls silent for the rest", async () => {
    publisher.next.push((_, response) => {
      response.writeHead(200, { "content-length": file.byteLength });
      response.write(file.subarray(0, 70_000));
    });
    await get();
    expect(await read()).toEqual(file);
    expect(publisher.asked).toEqual(["/tool", "/tool bytes=70000-"]);
  });

  it("keeps nothing of what is larger than its bound", async () => {
    await expect(get(pin, { ...bounds, maxBytes: file.byteLength - 1 })).rejects.toThrow(
      new DownloadError(`${pin.url} is larger than 99999 bytes`),
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it("takes a folder that cannot be written for no answer of the publisher's", async () => {
    const missing = join(folder, "missing", "part");
    const failure = await download(pin, missing, connection, bounds).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "ENOENT" });
    expect(failure).not.toBeInstanceOf(DownloadError);
  });
});

function get(what: Pin = pin, within: Bounds = bounds): Promise<void> {
  return download(what, path, connection, within);
}

function read(): Promise<Buffer> {
  return readFile(path);
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function answer(status: number): RequestListener {
  return (_, response) => response.writeHead(status).end("no");
}

/** Says how long the file is, sends its beginning and hangs up when that has been stored. */
function cutOffAfter(bytes: number): RequestListener {
  return (_, response) => {
    response.writeHead(200, { "content-length": file.byteLength });
    response.write(file.subarray(0, bytes));
    const stored = async (): Promise<boolean> => (await stat(path).catch(() => undefined))?.size === bytes;
    void waitUntil(stored, 10_000, () => Promise.resolve(`${bytes} bytes in the file`)).finally(() =>
      response.destroy(),
    );
  };
}

/** Promises the rest and hangs up. */
const nothingOfIt: RequestListener = (request, response) => {
  const [, from = "0"] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
  const range = `bytes ${from}-${file.byteLength - 1}/${file.byteLength}`;
  response.writeHead(206, { "content-length": file.byteLength - Number(from), "content-range": range });
  response.flushHeaders();
  response.socket?.end();
};

function inPieces(pieces: number, everyMs: number): RequestListener {
  return (_, response) => {
    response.writeHead(200, { "content-length": file.byteLength });
    const size = Math.ceil(file.byteLength / pieces);
    let sent = 0;
    const timer = setInterval(() => {
      response.write(file.subarray(sent, sent + size));
      sent += size;
      if (sent < file.byteLength) return;
      clearInterval(timer);
      response.end();
    }, everyMs);
  };
}
