import { Buffer } from "node:buffer";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ensurePki, readPem } from "../../../hack/lib/pki.ts";
import { gatewayIdentity } from "../../api/runtime/gateway-identity.ts";
import { gatewayLeaseName } from "../../api/runtime/pod-contract.ts";
import { annotations, gatewayTlsSecretName } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { addressOf, connectToReplica } from "./replicas.ts";

const release = { name: "rw", namespace: "system", sessionsNamespace: "sessions" };
const attempt = { sessionUid: "7f1c", attempt: 1 };
const holder = gatewayIdentity("rw-gateway-1", "00000001");
const service = ["rw-gateway", "rw-gateway.system", "rw-gateway.system.svc", "rw-gateway.system.svc.cluster.local"];

/** What processes of the cluster may have of one issuer, by DNS names. */
const certificates: Record<string, readonly string[]> = {
  gateway: service,
  "another-process": ["rw-ingress", "rw-ingress.system.svc"],
  "gateway-of-another-release": ["next-gateway.system.svc"],
  tenant: ["rw-gateway.team.svc"],
  "names-that-begin-so": ["rw-gateway.system.svc.example.com", "x.rw-gateway.system.svc"],
};

let directory: string;
let ca: string;
const servers = new Map<string, Server>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "runwright-replicas-"));
  const requests = Object.entries(certificates).map(([name, names]) => {
    return { name, subject: `/CN=${service[2]}`, extension: `subjectAltName=${sans(names)}` };
  });
  const byAddress = { name: "address", subject: "/CN=pod", extension: "subjectAltName=IP:127.0.0.1" };
  await ensurePki(directory, [...requests, byAddress]);
  ca = await readPem(directory, "ca.crt");
  for (const { name } of [...requests, byAddress]) {
    const [cert, key] = await Promise.all([readPem(directory, `${name}.crt`), readPem(directory, `${name}.key`)]);
    const server = createServer({ cert, key }, (socket) => socket.on("error", () => undefined).end());
    server.on("tlsClientError", () => undefined);
    await once(server.listen(0, "127.0.0.1"), "listening");
    servers.set(name, server);
  }
});
afterAll(async () => {
  servers.forEach((server) => server.close());
  await rm(directory, { recursive: true });
});

function sans(names: readonly string[]): string {
  return names.map((name) => `DNS:${name}`).join(",");
}

/** The cluster's objects where the other replica holds the attempt's Lease and is the server. */
function clusterWith(server: Server): Pick<KubeClient, "find" | "get"> {
  const { port } = server.address() as AddressInfo;
  const objects: Record<string, object> = {
    "sessions/7f1c-1": { spec: { holderIdentity: holder } },
    [`system/${gatewayLeaseName("rw-gateway-1")}`]: {
      metadata: { annotations: { [annotations.peopleAddress]: addressOf("127.0.0.1", port) } },
    },
    [`sessions/${gatewayTlsSecretName}`]: { data: { "ca.crt": Buffer.from(ca).toString("base64") } },
  };
  const read = (_kind: unknown, { namespace, name }: { namespace?: string; name: string }): Promise<never> =>
    Promise.resolve(objects[`${namespace}/${name}`] as never);
  return { find: read, get: read };
}

/** What came of the handshake: `connected`, or the error's code. */
async function handshakeWith(name: string): Promise<string | undefined> {
  const deps = { client: clusterWith(servers.get(name)!), release, podName: "rw-gateway-2" };
  const socket = await connectToReplica(deps, attempt, new AbortController().signal);
  if (!socket) return undefined;
  return new Promise((resolve) => {
    socket.once("secureConnect", () => resolve("connected"));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
  }).finally(() => socket.destroy()) as Promise<string>;
}

it("connects to a replica that shows the gateway's certificate", async () => {
  expect(await handshakeWith("gateway")).toBe("connected");
});

it.each([
  ["another process", "another-process"],
  ["the gateway of another release", "gateway-of-another-release"],
  ["a tenant", "tenant"],
  ["somebody whose names begin or end like the gateway's", "names-that-begin-so"],
  ["somebody who has the address alone", "address"],
])("refuses the certificate that the same issuer signed for %s, whatever its subject is", async (_who, name) => {
  expect(await handshakeWith(name)).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
});
