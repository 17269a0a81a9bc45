import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";

import type { Response } from "undici";

import { DownloadError, type Connection } from "./connection.ts";

/** One file of a publisher. */
export interface Pin {
  url: string;
  algorithm: "sha256" | "sha512";
  /** Hexadecimal. */
  digest: string;
}

/** Bounds of one download. */
export interface Bounds {
  /** Bytes; what goes on beyond is no program of ours. */
  maxBytes: number;
  /** How often one that was cut off is gone on with. */
  resumptions: number;
}

const usual: Bounds = { maxBytes: 400 * 1024 * 1024, resumptions: 4 };

/**
 * Fills `path` with the file of a pin and returns once its digest is right. What an earlier call left there is gone on with; what
 * has a wrong digest is removed. The file can be read and written by its owner and never be run. Throws {@link DownloadError} when the
 * publisher does not answer, says no, or gives something else.
 */
export async function download(pin: Pin, path: string, connection: Connection, bounds: Bounds = usual): Promise<void> {
  const wasThere = (await sizeOf(path)) > 0;
  if (wasThere && (await digestOf(path, pin.algorithm)) === pin.digest) return;
  await receive(pin, path, connection, bounds);
  let found = await digestOf(path, pin.algorithm);
  if (found !== pin.digest && wasThere) {
    // The piece that was there may be the wrong one.
    await rm(path, { force: true });
    await receive(pin, path, connection, bounds);
    found = await digestOf(path, pin.algorithm);
  }
  if (found === pin.digest) return;
  await rm(path, { force: true });
  throw new DownloadError(
    `${pin.url} is not the file that its publisher lists: its ${pin.algorithm} is ${found}, not ${pin.digest}`,
  );
}

/** Gets the whole file, in several pieces where the connection breaks. */
async function receive(pin: Pin, path: string, connection: Connection, bounds: Bounds): Promise<void> {
  for (let broken = 0; ; broken += 1) {
    const offset = await sizeOf(path);
    const answer = await connection.get(pin.url, offset);
    // What is there is as long as the file, or longer.
    if (answer.status === 416 && offset > 0) {
      await answer.body?.cancel();
      await rm(path, { force: true });
      continue;
    }
    await requireFile(answer, pin.url);
    const start = isContinuation(answer, offset) ? offset : 0;
    const failure = await write(answer, path, { start, url: pin.url, maxBytes: bounds.maxBytes });
    if (failure === undefined) return;
    if (broken === bounds.resumptions) {
      throw new DownloadError(
        `${pin.url} was cut off ${broken + 1} times (${failure.message}); the next try goes on from there`,
      );
    }
  }
}

async function requireFile({ status, body }: Response, url: string): Promise<void> {
  if (status === 200 || status === 206) return;
  await body?.cancel();
  throw new DownloadError(`${url} answers ${status}`);
}

/** Whether the answer begins at the byte that was asked for; else it is the whole file. */
function isContinuation({ status, headers }: Response, offset: number): boolean {
  return status === 206 && (headers.get("content-range") ?? "").startsWith(`bytes ${offset}-`);
}

/** Writes an answer into the file from byte `start` on; gives the reason where the publisher's end broke off. */
async function write(
  { body }: Response,
  path: string,
  { start, url, maxBytes }: { start: number; url: string; maxBytes: number },
): Promise<Error | undefined> {
  const file = await open(path, start === 0 ? "w" : "a", 0o600);
  const reader = body?.getReader();
  try {
    let size = start;
    for (;;) {
      const piece = await reader?.read().catch((error: unknown) => error as Error);
      if (piece instanceof Error) return piece;
      const bytes = piece?.value as Uint8Array | undefined;
      if (bytes === undefined) return undefined;
      size += bytes.byteLength;
      if (size > maxBytes) {
        await rm(path, { force: true });
        throw new DownloadError(`${url} is larger than ${maxBytes} bytes`);
      }
      // write() may take a part only, without an error.
      await file.appendFile(bytes);
    }
  } finally {
    await reader?.cancel().catch(() => undefined);
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

async function digestOf(path: string, algorithm: Pin["algorithm"]): Promise<string> {
  const hash = createHash(algorithm);
  for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array);
  return hash.digest("hex");
}
