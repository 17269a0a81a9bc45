import { expect, it } from "vitest";

import { tunnelNotes } from "./tunnel-notes.ts";

const at = (ms: number): Date => new Date(Date.parse("2026-05-04T10:00:00.000Z") + ms);
const noted = (text: string | undefined) => ({
  metadata: { name: "l", annotations: text === undefined ? {} : { "runwright.dev/tunnel-time": text } },
});

it.each([
  { name: "what was never used", text: undefined, used: undefined, want: {} },
  { name: "a first use", text: undefined, used: at(0), want: { "runwright.dev/tunnel-time": at(0).toISOString() } },
  { name: "a use 59.999 s after the note", text: at(0).toISOString(), used: at(59_999), want: {} },
  {
    name: "a use a minute after the note",
    text: at(0).toISOString(),
    used: at(60_000),
    want: { "runwright.dev/tunnel-time": at(60_000).toISOString() },
  },
  {
    name: "a use where the note cannot be read",
    text: "yesterday",
    used: at(0),
    want: { "runwright.dev/tunnel-time": at(0).toISOString() },
  },
])("notes of $name $want", ({ text, used, want }) => {
  expect(tunnelNotes(noted(text), used)).toEqual(want);
});
