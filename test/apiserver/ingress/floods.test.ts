import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { makeNamespace, testCluster } from "../../support/cluster.ts";
import { impersonating } from "../../support/process-accounts.ts";
import { testPrograms } from "../../support/programs.ts";
import { type Made, makeAutomation } from "./automations.ts";
import { type IngressProcess, prepareIngressProcess } from "./processes.ts";
import { deliver } from "./sender.ts";
import { grantAccess, ingressUser } from "./world.ts";

/** What a process may take beside its memory at rest, whatever strangers send. */
const mostMoreBytes = 134_217_728;
const atOnce = 20;

let directory: string;
let ingress: IngressProcess;
let made: Made;

beforeAll(async () => {
  const namespaces = { namespace: await makeNamespace("tenant"), keysNamespace: await makeNamespace("keys") };
  await grantAccess(namespaces.keysNamespace);
  directory = await mkdtemp(join(tmpdir(), "runwright-floods-"));
  const kubeconfig = join(directory, "kubeconfig");
  const admin = await readFile(testCluster().kubeconfig, "utf8");
  await writeFile(kubeconfig, impersonating(admin, ingressUser), { mode: 0o600 });
  ingress = await prepareIngressProcess({ program: testPrograms().operator, kubeconfig, ...namespaces });
  await ingress.start();
  made = await makeAutomation(namespaces);
  expect(await deliver(ingress, made, "{}")).toMatchObject({ status: 200 });
});
afterAll(async () => {
  await ingress.kill();
  await rm(directory, { recursive: true });
});

/** Sends bytes as they are; gives the status of the answer once the other side has closed. */
function send(bytes: string): Promise<number> {
  const { hostname, port } = new URL(ingress.url);
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(port), hostname);
    socket.on("data", (text: Buffer) => (answer += text.toString()));
    // It closes while there is still something to send.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(Number(answer.split(" ")[1])));
    socket.write(bytes);
  });
}

const path = (id: string): string => `/webhooks/automation/${id}`;
const key = "Authorization: Bearer wrong\r\n";

it.each([
  { who: "no key", headers: "", to: () => path(made.id), want: 413 },
  { who: "a wrong key", headers: key, to: () => path(made.id), want: 413 },
  { who: "a key for no automation", headers: key, to: () => path("nobody.nothing"), want: 413 },
  { who: "a path that is none", headers: "", to: () => "/webhooks", want: 404 },
])("65,000 chunks of a byte in each of 20 requests with $who are refused and take no memory", async (row) => {
  const before = await ingress.mostMemory();
  const head = `POST ${row.to()} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n${row.headers}`;
  const flood = `${head}Transfer-Encoding: chunked\r\n\r\n${"1\r\na\r\n".repeat(65_000)}0\r\n\r\n`;
  const statuses = await Promise.all(Array.from({ length: atOnce }, () => send(flood)));
  expect(new Set(statuses)).toEqual(new Set([row.want]));
  expect((await ingress.mostMemory()) - before).toBeLessThan(mostMoreBytes);
  expect(await deliver(ingress, made, "{}")).toMatchObject({ status: 200 });
});
