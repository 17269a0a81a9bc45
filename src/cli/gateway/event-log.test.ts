import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { ensurePki, readPem } from "../../../hack/lib/pki.ts";
import type { SessionEvent } from "../../api/runtime/session-event.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { Invocation } from "../command.ts";
import type { Format } from "../output/printable.ts";
import { printEvents } from "./event-log.ts";

/** Begins a command of terminals in one character, and turns the text around. */
const hostile = "fix\u009b2J\u202e\u2066";
const event: SessionEvent = {
  attempt: 1,
  seq: 1,
  time: "2026-05-04T10:15:00.000Z",
  event: { kind: "promptFinished", prompt: { name: "fix-1", uid: "u" }, verdict: "succeeded", branch: hostile },
};

let directory: string;
let gateway: Server;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "runwright-events-"));
  await ensurePki(directory, [{ name: "gateway", subject: "/CN=gateway", extension: "subjectAltName=IP:127.0.0.1" }]);
  const [key, cert] = await Promise.all([readPem(directory, "gateway.key"), readPem(directory, "gateway.crt")]);
  gateway = createServer({ key, cert }, (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`id: 1.1\ndata: ${JSON.stringify(event)}\n\nevent: end\ndata: {}\n\n`);
  });
  await once(gateway.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  gateway.close();
  await rm(directory, { recursive: true });
});

async function printed(format: Format | undefined): Promise<string> {
  let out = "";
  const { port } = gateway.address() as AddressInfo;
  const flags = {
    release: "runwright",
    "release-namespace": "runwright-system",
    server: `https://127.0.0.1:${port}`,
    "certificate-authority": join(directory, "ca.crt"),
    "kubeconfig-token": true,
  };
  const cluster = { bearerToken: () => Promise.resolve("persons-token") };
  const io = { write: (text: string) => void (out += text) };
  const invocation = { flags, format, io, cluster: () => cluster, clock: new FakeClock() } as unknown as Invocation;
  await printEvents(invocation, { namespace: "demo", path: "/events", what: "session logs demo/fix" });
  return out;
}

it("prints events as JSON, and as escapes what a terminal would obey or hide", async () => {
  const out = await printed("json");
  expect(JSON.parse(out)).toEqual(event);
  expect(out).toContain(String.raw`"branch":"fix\u009b2J\u202e\u2066"`);
});

it("prints events in words without it", async () => {
  expect(await printed(undefined)).toBe(
    "# 10:15:00Z sandbox 1\n# 10:15:00Z prompt fix-1 has succeeded; branch fix2J\n",
  );
});
