import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { interruptAt } from "../lib/interrupt-at.ts";
import { linkPrograms } from "../lib/programs-folder.ts";

// The demo itself, up to where a real cluster would have to answer: kubectl has a stand-in that waits or fails where a file says so.

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const demo = [join(import.meta.dirname, "main.ts"), "--context", "stub"];
const images = ["--operator-image", "example.com/operator:1", "--sandbox-image", "example.com/sandbox:1"];

let folder: string;
let server: Server;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "demo-interrupted-"));
  for (const name of ["programs", "at", "temporary"]) await mkdir(join(folder, name));
  await linkPrograms(join(folder, "programs"), ["cat", "cp", "openssl", "sh", "sleep", "tar"]);
  const kubectl = `#!/bin/sh
    for word in get apply delete; do
      case "$*" in
      *" $word "*)
        if [ -e "$AT/$word-waits" ]; then exec sleep 60; fi
        if [ -e "$AT/$word-fails" ]; then exit 1; fi ;;
      esac
    done
    echo '{"items":[]}'\n`;
  await writeFile(join(folder, "programs", "kubectl"), kubectl, { mode: 0o755 });
  server = createServer((_request, response) => {
    const body = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 };
    response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await writeFile(join(folder, "kubeconfig"), kubeconfigOf(`http://127.0.0.1:${port}`));
  env = {
    AT: join(folder, "at"),
    KUBECONFIG: join(folder, "kubeconfig"),
    PATH: join(folder, "programs"),
    RUNWRIGHT_CACHE: join(folder, "cache"),
    TMPDIR: join(folder, "temporary"),
  };
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

it.each([
  {
    step: "A cluster and two images",
    obstacles: ["get-waits"],
    next: "The chart with controller",
    then: "apply-waits",
  },
  {
    step: "The chart with controller",
    obstacles: ["apply-waits"],
    next: "Taking everything down",
    then: "apply-fails",
  },
  {
    step: "Taking everything down",
    obstacles: ["apply-fails", "delete-waits"],
    next: "deleting the demo",
    then: "apply-fails",
  },
])("Ctrl-C at: $step; the next try goes on", async ({ step, obstacles, next, then }) => {
  await setObstacles(obstacles);
  expect(await interruptAt(`== ${step}`, [...demo, ...images], env)).toEqual({
    status: 130,
    said: expect.stringMatching(/\ninterrupted: the next try goes on with what is up\n$/) as string,
  });
  await setObstacles([then]);
  expect(await interruptAt(next, [...demo, ...images], env)).toMatchObject({
    status: 130,
    said: expect.stringContaining(next) as string,
  });
});

async function setObstacles(names: readonly string[]): Promise<void> {
  await rm(join(folder, "at"), { recursive: true });
  await mkdir(join(folder, "at"));
  for (const name of names) await writeFile(join(folder, "at", name), "");
}

function kubeconfigOf(origin: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "stub", cluster: { server: origin, "insecure-skip-tls-verify": true } }],
    users: [{ name: "stub", user: {} }],
    contexts: [{ name: "stub", context: { cluster: "stub", user: "stub" } }],
    "current-context": "stub",
  });
}
