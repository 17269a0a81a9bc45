import { Registry } from "prom-client";
import { expect, it } from "vitest";

import { defineServingMetrics } from "./serving-metrics.ts";

it("says what is open and what may be, and when the certificate ends once there is one", async () => {
  const registry = new Registry();
  const open = { sandbox: 3, people: 1 };
  let certificateEndMs = undefined as number | undefined;
  defineServingMetrics(registry, {
    connections: () => Promise.resolve(open),
    mostConnections: 10,
    certificateEndMs: () => certificateEndMs,
  });
  const first = await registry.metrics();
  expect(first).toContain('runwright_gateway_connections{port="sandbox"} 3\n');
  expect(first).toContain('runwright_gateway_connections{port="people"} 1\n');
  expect(first).toContain("runwright_gateway_connections_limit 10\n");
  expect(first).not.toMatch(/^runwright_gateway_certificate/m);
  open.sandbox = 4;
  certificateEndMs = 1_777_777_777_000;
  const second = await registry.metrics();
  expect(second).toContain('runwright_gateway_connections{port="sandbox"} 4\n');
  expect(second).toContain("runwright_gateway_certificate_expiration_timestamp_seconds 1777777777\n");
});
