import { expect, it } from "vitest";
import { executionTimeoutMs, lifetimeMs } from "./resolve.ts";

const operator = { executionTimeoutMs: 60_000 };
const hour = 3_600_000;

it.each([
  ["no scope sets one", {}, 60_000],
  ["the target does", { target: { sandboxTimeoutMs: hour } }, hour],
  ["the session does", { session: { sandboxTimeoutMs: 2 * hour }, target: { sandboxTimeoutMs: hour } }, 2 * hour],
  ["the session's settings leave it out", { session: {}, target: { sandboxTimeoutMs: hour } }, hour],
])("takes a prompt's budget where %s", (_name, scopes, want) => {
  expect(executionTimeoutMs(scopes, operator)).toBe(want);
});

it.each([
  ["the class's own without a setting", {}, undefined, 2 * hour],
  ["the setting below the class's maximum", { target: { sandboxTimeoutMs: 3 * hour } }, 4 * hour, 3 * hour],
  ["the setting at the class's maximum", { target: { sandboxTimeoutMs: 4 * hour } }, 4 * hour, 4 * hour],
  ["the class's maximum where the setting is longer", { target: { sandboxTimeoutMs: 5 * hour } }, 4 * hour, 4 * hour],
  ["any setting where the class has no maximum", { session: { sandboxTimeoutMs: 48 * hour } }, undefined, 48 * hour],
])("takes as lifetime %s", (_name, scopes, maxSandboxTimeoutMs, want) => {
  expect(lifetimeMs(scopes, { sandboxTimeoutMs: 2 * hour, maxSandboxTimeoutMs })).toBe(want);
});
