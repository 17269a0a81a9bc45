import { expect, it } from "vitest";
import type { SessionEvent } from "../api.ts";
import { type Entry, newestEntries, withEvents } from "./timeline-entries.ts";

const time = "2026-03-31T12:00:00Z";
let seq = 0;
const of = (event: SessionEvent["event"]): SessionEvent => ({ attempt: 1, seq: (seq += 1), time, event });
const output = (text: string, source: "agent" | "setup" = "agent"): SessionEvent =>
  of({ kind: "output", source, stream: "stdout", text });
const all = (...events: SessionEvent[]): readonly Entry[] => withEvents([], events);

it("joins what one program writes in one go", () => {
  const entries = all(output("one "), output("two\n"), output("three", "setup"), output("four"));
  expect(entries.map(({ source, text }) => [source, text])).toEqual([
    ["agent", "one two\n"],
    ["setup", "three"],
    ["agent", "four"],
  ]);
});

it("shows failures apart from the usual", () => {
  const prompt = { name: "fix-1", uid: "u" };
  const entries = all(
    of({ kind: "ready" }),
    of({ kind: "promptFinished", prompt, verdict: "failed", message: "it broke\n# ready" }),
    of({ kind: "promptFinished", prompt, verdict: "succeeded" }),
  );
  expect(entries.map(({ kind }) => kind)).toEqual(["note", "problem", "note"]);
  expect(entries[1]!.text).not.toContain("\n");
});

it("is the same however its events come", () => {
  const events = [output("one "), output("two\n"), of({ kind: "ready" }), output("three")];
  const oneByOne = events.reduce<readonly Entry[]>((entries, event) => withEvents(entries, [event]), []);
  expect(oneByOne).toEqual(withEvents([], events));
});

it("goes on in a further entry where an output is long", () => {
  const texts = all(output("x".repeat(20_000)), output("y")).map(({ text }) => text.length);
  expect(texts).toEqual([20_000, 1]);
});

const entry = (text: string): Entry => ({ key: text, time, kind: "note", source: "sandbox 1", text });
const entries = ["aaaa", "bbb", "cc", "d"].map(entry);

it.each([
  { characters: 0, want: ["d"] },
  { characters: 2, want: ["d"] },
  { characters: 3, want: ["cc", "d"] },
  { characters: 5, want: ["cc", "d"] },
  { characters: 6, want: ["bbb", "cc", "d"] },
  { characters: 9, want: ["bbb", "cc", "d"] },
  { characters: 10, want: ["aaaa", "bbb", "cc", "d"] },
])("shows the newest of $characters characters", ({ characters, want }) => {
  expect(newestEntries(entries, characters).map(({ text }) => text)).toEqual(want);
});

it("shows nothing of nothing", () => {
  expect(newestEntries([], 10)).toEqual([]);
});
