import { once } from "node:events";
import type { Response } from "express";

/** A response of Server-Sent Events. */
export class EventStream {
  readonly #response: Response;
  readonly #signal: AbortSignal;

  /** `signal` ends it; it must abort when the client disconnects. */
  constructor(response: Response, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // Tells buffering proxies to pass events on at once.
      "x-accel-buffering": "no",
    });
    response.flushHeaders();
  }

  /** Sends one event; resolves when the client can take more. */
  async send({ id, event, data }: { id?: string; event?: string; data: object }): Promise<void> {
    const lines = [
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(event === undefined ? [] : [`event: ${event}`]),
      `data: ${JSON.stringify(data)}`,
    ];
    await this.#write(`${lines.join("\n")}\n\n`);
  }

  /** SSE comment that keeps proxies from closing an idle stream. */
  async keepAlive(): Promise<void> {
    await this.#write(":\n\n");
  }

  end(): void {
    this.#response.end();
  }

  async #write(text: string): Promise<void> {
    if (this.#signal.aborted || this.#response.write(text)) return;
    // Rejects when the client disconnects, which ends the stream anyway.
    await once(this.#response, "drain", { signal: this.#signal }).catch(() => undefined);
  }
}
