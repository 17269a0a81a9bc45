import { Buffer } from "node:buffer";
import type { KubeObject } from "../lib/resource.ts";

/** One line of a watch. A bookmark's object holds nothing but its resource version, an error's is a Status. */
export interface WatchEvent<T extends KubeObject> {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: T;
}

const newline = 0x0a;

/** Puts the lines of a byte stream together again; a line may come in many pieces, and a piece may split a character. */
export class LineSplitter {
  #pieces: Buffer[] = [];

  /** The lines that this piece completes, without their ends; empty ones are left out. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      this.#pieces.push(chunk.subarray(from, end));
      const line = Buffer.concat(this.#pieces).toString("utf8");
      if (line !== "") lines.push(line);
      this.#pieces = [];
      from = end + 1;
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from));
    return lines;
  }
}
