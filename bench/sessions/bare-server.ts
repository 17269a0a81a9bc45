import { readFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";

import { collectDefaultMetrics, Registry } from "prom-client";
import { type WebSocket, WebSocketServer } from "ws";

import { protocolTimes } from "../../src/api/runtime/limits.ts";

/**
 * The baseline, a process of its own: `bare-server.ts CERTIFICATE KEY PORT METRICS_PORT`. Lets everybody in, welcomes
 * and pings; knows no sessions and makes no requests.
 */
const [certificateFile = "", keyFile = "", port, metricsPort] = process.argv.slice(2);
const [cert, key] = await Promise.all([readFile(certificateFile, "utf8"), readFile(keyFile, "utf8")]);
const server = createServer({ cert, key, minVersion: "TLSv1.3" });
const sockets = new WebSocketServer({ server, clientTracking: false, perMessageDeflate: false });
sockets.on("connection", (socket) => {
  const pings = setInterval(() => socket.ping(), protocolTimes.pingMs);
  socket.on("message", (data: Buffer) => answer(socket, data));
  socket.on("error", () => undefined);
  socket.on("close", () => clearInterval(pings));
});
server.listen(Number(port), "127.0.0.1");

const registry = new Registry();
collectDefaultMetrics({ register: registry });
createHttpServer((_request, response) => {
  void registry.metrics().then((text) => response.end(text));
}).listen(Number(metricsPort), "127.0.0.1");

function answer(socket: WebSocket, data: Buffer): void {
  const { type } = JSON.parse(data.toString("utf8")) as { type: string };
  if (type === "hello") socket.send(JSON.stringify({ type: "welcome" }));
}
