import { expect, it } from "vitest";

import { mayAsk } from "./access.ts";

const access = { users: ["Ada@Example.com", "u-1"], teams: ["ENG", "ops"], channels: [], userGroups: [] };

it.each([
  { event: { teamKey: "ENG" }, want: true },
  { event: { teamKey: "eng" }, want: true },
  { event: { teamKey: "OPS" }, want: true },
  { event: { teamKey: "ENGX" }, want: false },
  { event: { teamKey: "" }, want: false },
  { event: {}, want: false },
  { event: { actor: { id: "x", email: "ada@example.COM" } }, want: true },
  { event: { actor: { id: "U-1" } }, want: true },
  { event: { actor: { id: "x", email: "eve@example.com" }, teamKey: "OTHER" }, want: false },
])("an event of $event may ask: $want", ({ event, want }) => {
  expect(mayAsk({ access }, event as never)).toBe(want);
});
