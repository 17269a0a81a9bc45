import { Registry, Counter } from "prom-client";
import { afterEach, expect, it } from "vitest";
import { startObservabilityServer, type ObservabilityServer } from "./observability-server.ts";

let server: ObservabilityServer | undefined;
afterEach(() => server?.close());

async function get(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${String(server!.port)}${path}`);
  return { status: response.status, text: await response.text() };
}

it("tells liveness, readiness with its reason, and metrics", async () => {
  const registry = new Registry();
  new Counter({ name: "runwright_things_total", help: "Things.", registers: [registry] }).inc();
  let problem: string | undefined = "caches are not synced";
  server = await startObservabilityServer({ port: 0, registry, notReadyBecause: () => problem });

  expect(await get("/livez")).toEqual({ status: 200, text: "ok\n" });
  expect(await get("/readyz")).toEqual({ status: 503, text: "caches are not synced\n" });
  problem = undefined;
  expect(await get("/readyz")).toMatchObject({ status: 200 });
  expect((await get("/metrics")).text).toContain("runwright_things_total 1");
  expect(await get("/other")).toMatchObject({ status: 404 });
});
