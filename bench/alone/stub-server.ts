import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import type { ApiAnswer, Method } from "../../src/kube/transport.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { ApiServer } from "../../test/simulation/api-server/api-server.ts";
import { Store } from "../../test/simulation/api-server/store.ts";
import { SeededRandom } from "../../test/simulation/seeded-random.ts";

export interface StubServer {
  url: string;
  close(): void;
}

/**
 * The API server of the simulation, over HTTP on loopback. Creates of Runs are answered as by a real one, and forgotten, so that
 * memory and time stay the same however many there are; watches show nothing.
 */
export async function startStubServer(): Promise<StubServer> {
  const api = new ApiServer(new Store(systemClock, new SeededRandom(1)));
  const server = createServer((request, response) => void answer(api, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    // A TCP server's address is never a pipe's name.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(api: ApiServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url: path = "", headers } = request;
  const body = await text(request);
  response.setHeader("content-type", "application/json");
  if (path.includes("watch=true")) {
    response.flushHeaders();
    return;
  }
  const isRun = method === "POST" && /\/runs(\?|$)/.test(path);
  const { accept = "" } = headers;
  const sent = { method: method as Method, path, headers: { accept }, body: body === "" ? undefined : body };
  const answered: ApiAnswer = isRun ? { status: 201, text: storedRun } : api.answer(sent);
  response.writeHead(answered.status, { "content-length": Buffer.byteLength(answered.text) });
  response.end(answered.text);
}

/** As long as the metadata of a Run. */
const storedRun = JSON.stringify({
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata: {
    name: "alerts-0-7f3kq9x2mb",
    namespace: "bench-0a1b2c3d",
    uid: "2f0a7a52-8f6e-4b5c-9a43-7c9f0d1e2b3a",
    resourceVersion: "123456",
    generation: 1,
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: {
      "runwright.dev/automation": "alerts-0",
      "runwright.dev/automation-uid": "0f0a7a52-8f6e-4b5c-9a43-7c9f0d1e2b3a",
    },
    managedFields: [
      {
        manager: "runwright-ingress",
        operation: "Update",
        apiVersion: "runwright.dev/v1alpha1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": {
            "f:labels": { ".": {}, "f:runwright.dev/automation": {}, "f:runwright.dev/automation-uid": {} },
          },
          "f:spec": {
            ".": {},
            "f:automationRef": { ".": {}, "f:generation": {}, "f:name": {}, "f:uid": {} },
            "f:trigger": { ".": {}, "f:deliveryID": {}, "f:payload": {}, "f:time": {}, "f:type": {} },
          },
        },
      },
    ],
  },
});
