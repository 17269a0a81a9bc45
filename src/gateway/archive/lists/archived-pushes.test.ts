import { expect, it } from "vitest";
import { archivedPushes } from "./archived-pushes.ts";

const push = { repository: "shop-ui", branch: "fix/1", commit: "a".repeat(40) };

it.each([
  { name: "what was stored", stored: JSON.stringify([push, push]), want: [push, push] },
  { name: "nothing of no pushes", stored: null, want: [] },
  { name: "nothing before the schema is up to date", stored: undefined, want: [] },
  { name: "nothing of a part", stored: JSON.stringify([push]).slice(0, 20), want: [] },
  { name: "nothing of another form", stored: '{"pushes":[]}', want: [] },
  { name: "nothing of what is no push", stored: JSON.stringify([{ ...push, commit: "b" }]), want: [] },
])("of pushes in the archive there is $name", ({ stored, want }) => {
  expect(archivedPushes(stored)).toEqual(want);
});
