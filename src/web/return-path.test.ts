import { expect, it } from "vitest";

import { returnPath } from "./return-path.ts";

const query = (length: number): string => "/sessions?q=".padEnd(length, "x");

it.each([
  ["/", "/"],
  ["/automations/demo.triage", "/automations/demo.triage"],
  ["/analytics?days=7", "/analytics?days=7"],
  ["/automations#key", "/automations"],
  [query(1_000), query(1_000)],
  [query(1_001), "/"],
  [null, "/"],
  ["", "/"],
  ["https://attacker.example/automations", "/"],
  ["//attacker.example/automations", "/"],
  ["/\\attacker.example/automations", "/"],
  ["javascript:alert(1)", "/"],
  ["/page/sign-out", "/"],
  ["/api/automations", "/"],
  ["http://[", "/"],
])("%j leads to %j", (to, want) => {
  expect(returnPath(to)).toBe(want);
});
