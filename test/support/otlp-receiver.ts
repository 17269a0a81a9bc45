import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** A span as it came over the wire. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code?: number };
}

interface Received {
  resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
}

/** Takes OTLP as JSON by HTTP, as a collector does. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const answers = { status: 200 };
  const server = createServer((request, response) => {
    // The exporter under test is trusted to send what its grammar says.
    void (json(request) as Promise<Received>).then(({ resourceSpans }) => {
      if (answers.status === 200) {
        spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      }
      response.writeHead(answers.status, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    /** All that were taken, in the order in which they came. */
    spans,
    /** What the next requests are answered with. */
    answers,
    async close(): Promise<void> {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
