import { expect, it } from "vitest";
import { ConfigError } from "./config-error.ts";
import { readOperatorSettings } from "./operator-settings.ts";

it("sets nothing by blank and missing variables", () => {
  expect(readOperatorSettings({ SANDBOX_TIMEOUT_MS: "", TUNNEL_PORTS: "", MAX_SESSION_COST_USD: "" })).toEqual({});
});

it.each([
  ["SANDBOX_TIMEOUT_MS", "1000", { sandboxTimeoutMs: 1_000 }],
  ["SANDBOX_TIMEOUT_MS", "604800000", { sandboxTimeoutMs: 604_800_000 }],
  ["FINAL_SNAPSHOT_BUFFER_MS", "300000", { finalSnapshotBufferMs: 300_000 }],
  ["TUNNEL_PORTS", "3000, 5173", { tunnelPorts: [3000, 5173] }],
  ["TUNNEL_PORTS", "1,2,3,4,5,6,7,8,9,65535", { tunnelPorts: [1, 2, 3, 4, 5, 6, 7, 8, 9, 65_535] }],
  ["BUILD_TIMEOUT_SECONDS", "3600", { buildTimeoutSeconds: 3_600 }],
  ["MAX_CONCURRENT_CHILD_SESSIONS", "0", { maxConcurrentChildSessions: 0 }],
  ["MAX_TOTAL_CHILD_SESSIONS", "1000", { maxTotalChildSessions: 1_000 }],
  ["MAX_SESSION_COST_USD", "0.01", { maxSessionCostUsd: "0.01" }],
])("takes %s=%s", (name, value, want) => {
  expect(readOperatorSettings({ [name]: value })).toEqual(want);
});

it.each([
  ["SANDBOX_TIMEOUT_MS", "999"],
  ["SANDBOX_TIMEOUT_MS", "1500"],
  ["SANDBOX_TIMEOUT_MS", "0"],
  ["SANDBOX_TIMEOUT_MS", "-1000"],
  ["SANDBOX_TIMEOUT_MS", "604801000"],
  ["FINAL_SNAPSHOT_BUFFER_MS", "299999"],
  ["FINAL_SNAPSHOT_BUFFER_MS", "300500"],
  ["TUNNEL_PORTS", "1,2,3,4,5,6,7,8,9,10,11"],
  ["TUNNEL_PORTS", "3000,3000"],
  ["TUNNEL_PORTS", "0"],
  ["TUNNEL_PORTS", "65536"],
  ["TUNNEL_PORTS", "3000,"],
  ["BUILD_TIMEOUT_SECONDS", "0"],
  ["BUILD_TIMEOUT_SECONDS", "3601"],
  ["BUILD_TIMEOUT_SECONDS", "1.5"],
  ["MAX_CONCURRENT_CHILD_SESSIONS", "1001"],
  ["MAX_TOTAL_CHILD_SESSIONS", "many"],
  ["MAX_SESSION_COST_USD", "0"],
  ["MAX_SESSION_COST_USD", "-1"],
  ["MAX_SESSION_COST_USD", "0.0000001"],
  ["MAX_SESSION_COST_USD", "5 USD"],
])("refuses %s=%s", (name, value) => {
  expect(() => readOperatorSettings({ [name]: value })).toThrow(ConfigError);
});

it.each([
  ["5", "5", { maxConcurrentChildSessions: 5, maxTotalChildSessions: 5 }],
  ["0", "0", { maxConcurrentChildSessions: 0, maxTotalChildSessions: 0 }],
  ["16", "", { maxConcurrentChildSessions: 16 }],
  ["", "4", { maxTotalChildSessions: 4 }],
])("takes %j child sessions at once and %j in all", (atOnce, inAll, want) => {
  const environment = { MAX_CONCURRENT_CHILD_SESSIONS: atOnce, MAX_TOTAL_CHILD_SESSIONS: inAll };
  expect(readOperatorSettings(environment)).toEqual(want);
});

it.each([
  ["6", "5"],
  ["1", "0"],
])("refuses %s child sessions at once beside %s in all, with both figures", (atOnce, inAll) => {
  const environment = { MAX_CONCURRENT_CHILD_SESSIONS: atOnce, MAX_TOTAL_CHILD_SESSIONS: inAll };
  expect(() => readOperatorSettings(environment)).toThrow(
    `MAX_CONCURRENT_CHILD_SESSIONS is "${atOnce}", but it must be at most MAX_TOTAL_CHILD_SESSIONS, ${inAll}; the default is 5`,
  );
});

it("says the variable, its value, what it must be and the default", () => {
  expect(() => readOperatorSettings({ BUILD_TIMEOUT_SECONDS: "3601" })).toThrow(
    'BUILD_TIMEOUT_SECONDS is "3601", but it must be a whole number from 1 to 3600; the default is 1800',
  );
});
