import { expect, it } from "vitest";
import { executionTimeoutMs } from "./execution-timeout.ts";

const hour = 3_600_000;
const operator = { settings: {}, executionTimeoutMs: 60_000 };

it.each([
  ["no scope sets one", operator, [], 60_000],
  ["the operator's settings do", { ...operator, settings: { sandboxTimeoutMs: hour } }, [undefined, {}], hour],
  ["the target does", { ...operator, settings: { sandboxTimeoutMs: 1_000 } }, [{ sandboxTimeoutMs: hour }], hour],
  ["the session does", operator, [{ sandboxTimeoutMs: hour }, { sandboxTimeoutMs: 2 * hour }], 2 * hour],
  ["the session's settings leave it out", operator, [{ sandboxTimeoutMs: hour }, {}], hour],
])("takes a prompt's budget where %s", (_name, from, scopes, want) => {
  expect(executionTimeoutMs(from, scopes)).toBe(want);
});
