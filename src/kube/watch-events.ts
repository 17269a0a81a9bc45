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
      const line = this.#completed(chunk, from, end);
      if (line !== "") lines.push(line);
      from = end + 1;
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from));
    return lines;
  }

  /** Most lines come in one piece, which need not be copied. */
  #completed(chunk: Buffer, from: number, end: number): string {
    if (this.#pieces.length === 0) return chunk.toString("utf8", from, end);
    const line = Buffer.concat([...this.#pieces, chunk.subarray(from, end)]).toString("utf8");
    this.#pieces = [];
    return line;
  }
}
