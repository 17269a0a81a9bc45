import { once } from "node:events";
import type { Response } from "express";

/** Server-Sent Events as an answer. */
export class EventStream {
  readonly #response: Response;
  readonly #signal: AbortSignal;

  /** `signal` ends it; the reader going away must abort it. */
  constructor(response: Response, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // Proxies that collect answers would hold it back.
      "x-accel-buffering": "no",
    });
    response.flushHeaders();
  }

  /** Sends one event; resolves when a slow reader has room for more. */
  async send({ id, event, data }: { id?: string; event?: string; data: object }): Promise<void> {
    const lines = [
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(event === undefined ? [] : [`event: ${event}`]),
      `data: ${JSON.stringify(data)}`,
    ];
    await this.#write(`${lines.join("\n")}\n\n`);
  }

  /** Says nothing, so that who is on the way keeps the connection. */
  async keepAlive(): Promise<void> {
    await this.#write(":\n\n");
  }

  end(): void {
    this.#response.end();
  }

  async #write(text: string): Promise<void> {
    if (this.#signal.aborted || this.#response.write(text)) return;
    // Rejects when the reader goes, which ends the stream anyway.
    await once(this.#response, "drain", { signal: this.#signal }).catch(() => undefined);
  }
}
