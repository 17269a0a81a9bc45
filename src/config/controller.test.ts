import { expect, it } from "vitest";

import { image, release } from "../../test/support/release-config.ts";
import { readControllerConfig } from "./controller.ts";

it("gives the product's defaults", () => {
  expect(readControllerConfig(image, release)).toEqual({
    operator: { settings: {}, executionTimeoutMs: 7_200_000 },
    tunnels: { peopleUrl: "https://runwright-gateway.runwright-system.svc:8444", waitSeconds: 30 },
    deliveryBaseUrl: "http://localhost:8080",
    bootTimeoutMs: 1_800_000,
    sandboxImage: "example.com/sandbox:1",
    gatewayUrl: "wss://runwright-gateway.runwright-system.svc:8443",
    sandboxPort: 8443,
    egressExceptCIDRs: [],
    github: { apiURLs: ["https://api.github.com"] },
    skillSetBudgets: { namespace: 67_108_864, total: 268_435_456 },
    hasArchive: false,
    hasConnector: false,
    gatewayCertificate: "self-managed",
  });
});

it("refuses a keeper of the certificate that is none", () => {
  expect(() => readControllerConfig({ ...image, RUNWRIGHT_GATEWAY_CERTIFICATE: "vault" }, release)).toThrow(
    'RUNWRIGHT_GATEWAY_CERTIFICATE is "vault", but it must be one of self-managed, cert-manager; the default is self-managed',
  );
});

it.each(["abc", "0", "-1", "1.5", "240000", "604800001"])(
  "refuses SANDBOX_BOOT_TIMEOUT_MS=%s with name, value and default",
  (value) => {
    const message = `SANDBOX_BOOT_TIMEOUT_MS is "${value}", but it must be a whole number from 240001 to 604800000; the default is 1800000`;
    expect(() => readControllerConfig({ ...image, SANDBOX_BOOT_TIMEOUT_MS: value }, release)).toThrow(message);
  },
);

it("takes the first boot budget above the connect watchdog", () => {
  expect(readControllerConfig({ ...image, SANDBOX_BOOT_TIMEOUT_MS: "240001" }, release).bootTimeoutMs).toBe(240_001);
});

it.each([
  ["0", 0],
  ["604800", 604_800],
])("takes TUNNEL_WAIT_TIMEOUT_SECONDS=%s", (value, want) => {
  const config = readControllerConfig({ ...image, TUNNEL_WAIT_TIMEOUT_SECONDS: value }, release);
  expect(config.tunnels.waitSeconds).toBe(want);
});

it.each(["-1", "604801", "1.5", "x"])("refuses TUNNEL_WAIT_TIMEOUT_SECONDS=%s", (value) => {
  expect(() => readControllerConfig({ ...image, TUNNEL_WAIT_TIMEOUT_SECONDS: value }, release)).toThrow(
    `TUNNEL_WAIT_TIMEOUT_SECONDS is "${value}", but it must be a whole number from 0 to 604800; the default is 30`,
  );
});

it.each(["1", "604800000"])("takes EXECUTION_TIMEOUT_MS=%s", (value) => {
  const config = readControllerConfig({ ...image, EXECUTION_TIMEOUT_MS: value }, release);
  expect(config.operator.executionTimeoutMs).toBe(Number(value));
});

it.each(["", "0", "-5", "1e3", "2 h", "604800001"])("judges EXECUTION_TIMEOUT_MS=%j", (value) => {
  const read = () =>
    readControllerConfig({ ...image, EXECUTION_TIMEOUT_MS: value }, release).operator.executionTimeoutMs;
  if (value === "") expect(read()).toBe(7_200_000);
  else expect(read).toThrow(/^EXECUTION_TIMEOUT_MS is .* the default is 7200000$/);
});

it.each([
  ["", []],
  ["198.41.0.0/16", ["198.41.0.0/16"]],
  ["128.0.0.0/1,3000::/4", ["128.0.0.0/1", "3000::/4"]],
])("reads the ranges that are not the internet from %j", (RUNWRIGHT_EGRESS_EXCEPT_CIDRS, want) => {
  expect(readControllerConfig({ ...image, RUNWRIGHT_EGRESS_EXCEPT_CIDRS }, release).egressExceptCIDRs).toEqual(want);
});

it.each([
  "0.0.0.0/0",
  "2000::/3",
  "::/0",
  "198.41.0.1",
  "198.41.0.0/33",
  "198.41.0.0/16,",
  "198.41.0.0/16, 11.0.0.0/8",
])("refuses %j as ranges that are not the internet", (value) => {
  expect(() => readControllerConfig({ ...image, RUNWRIGHT_EGRESS_EXCEPT_CIDRS: value }, release)).toThrow(
    /^RUNWRIGHT_EGRESS_EXCEPT_CIDRS is .*, but .* must be a range such as .*narrower than the whole internet/,
  );
});
