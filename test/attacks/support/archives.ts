import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createZstdCompress } from "node:zlib";

import { type Entry, headerOf, tarOf } from "../../support/tar.ts";

const file = (name: string): Entry => ({ type: "0", name, content: "attack" });

/** Archives that no save writes, by the attempt that each is. */
export const hostileArchives: Record<string, () => Iterable<Uint8Array>> = {
  "restore an archive with .. in a path": () => [tarOf([file("./../../tmp/attack")])],
  "restore an archive with an absolute path": () => [tarOf([file("/tmp/attack")])],
  "restore an archive with a device": () => [tarOf([{ type: "3", name: "./attack", device: [1, 3] }])],
  "restore an archive with a file below a link": () => [
    tarOf([{ type: "2", name: "./link", target: "/tmp" }, file("./link/attack")]),
  ],
  "restore an archive with a hard link out of the folder": () => [
    tarOf([{ type: "1", name: "./attack", target: "../etc/passwd" }]),
  ],
  "restore an archive of 10 million entries": () =>
    many(headerOf({ type: "5", name: ".runwright-home/" }, 0), 10_000_000),
  "restore a decompression bomb": () => [
    headerOf({ type: "0", name: "./attack" }, 8 * 1_024 ** 3 - 1),
    Buffer.alloc(1_048_576),
  ],
};

function* many(header: Buffer, count: number): Generator<Uint8Array> {
  const atOnce = 10_000;
  const headers = Buffer.concat(Array.from({ length: atOnce }, () => header));
  for (let written = 0; written < count; written += atOnce) yield headers;
}

/** The archive as the blob store has it. */
export function compressed(archive: Iterable<Uint8Array>): Promise<Buffer> {
  return buffer(Readable.from(archive).pipe(createZstdCompress()));
}
