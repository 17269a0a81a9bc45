import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/**
 * A proxy in front of an HTTP server, whose clients a test can have lose their connections with requests under way that the
 * server carries out only later: what a client sees as a timeout, without the time.
 */
export interface LateProxy {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Holds the next `times` writes of objects back whose path has `part`; who sent them sees the connection break. */
  hold(times: number, part?: string): void;
  /** How many are held back. */
  held(): number;
  /** Writes of objects that were passed on at once. */
  passed(): number;
  /** Has the server carry out, in order, what was held back; resolves with its answers. */
  deliver(): Promise<number[]>;
  close(): Promise<void>;
}

interface Held {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export async function startLateProxy(target: string): Promise<LateProxy> {
  let left = 0;
  let heldPart = "";
  let passed = 0;
  const late: Held[] = [];

  async function serve(message: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/", headers } = message;
    const sent = { method, path, headers, body: await buffer(message) };
    const isWrite = method === "PUT";
    if (isWrite && left > 0 && path.includes(heldPart)) {
      left -= 1;
      late.push(sent);
      answer.socket?.resetAndDestroy();
      return;
    }
    if (isWrite) passed += 1;
    const response = await passOn(target, sent);
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  }

  const server = createServer((message, answer) => {
    serve(message, answer).catch(() => answer.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(times, part = "") {
      left = times;
      heldPart = part;
    },
    held: () => late.length,
    passed: () => passed,
    async deliver() {
      const statuses: number[] = [];
      for (const sent of late.splice(0)) {
        const response = await passOn(target, sent);
        await buffer(response);
        statuses.push(response.statusCode ?? 0);
      }
      return statuses;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** As it was sent, with the host that its signature names. */
async function passOn(target: string, { method, path, headers, body }: Held): Promise<IncomingMessage> {
  const passedOn = request(target + path, { method, headers });
  passedOn.end(body);
  const [response] = (await once(passedOn, "response")) as [IncomingMessage];
  return response;
}
