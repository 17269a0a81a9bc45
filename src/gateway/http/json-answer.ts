import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

/** Answers with JSON and closes the connection. */
export function answerJson(
  response: ServerResponse,
  { status, body, headers = {} }: { status: number; body: object; headers?: OutgoingHttpHeaders },
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    connection: "close",
  });
  response.end(text);
}
