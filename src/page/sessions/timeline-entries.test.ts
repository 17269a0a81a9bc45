import { expect, it } from "vitest";
import type { SessionEvent } from "../api.ts";
import { type Entry, newestEntries, windowCharacters, withEvents, withOlderEvents } from "./timeline-entries.ts";

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

it("is the same wherever an older part and the rest meet", () => {
  const events = [output("one "), output("two\n"), of({ kind: "ready" }), output("three"), output("four", "setup")];
  for (let meet = 0; meet <= events.length; meet += 1) {
    const entries = withOlderEvents(events.slice(0, meet), withEvents([], events.slice(meet)));
    expect(entries).toEqual(withEvents([], events));
  }
});

it("goes on in a further entry where an output is long", () => {
  const texts = all(output("x".repeat(20_000)), output("y")).map(({ text }) => text.length);
  expect(texts).toEqual([20_000, 1]);
});

const entry = (text: string): Entry => ({ key: text, time, kind: "note", source: "sandbox 1", text });
const sized = [400, 300, 257, 5].map((length) => entry("x".repeat(length)));

it.each([
  { characters: 0, want: [5] },
  { characters: 512, want: [5] },
  { characters: 513, want: [257, 5] },
  { characters: 812, want: [257, 5] },
  { characters: 813, want: [300, 257, 5] },
  { characters: 1_212, want: [300, 257, 5] },
  { characters: 1_213, want: [400, 300, 257, 5] },
])("shows the newest of $characters characters, each entry as 256 at least", ({ characters, want }) => {
  expect(newestEntries(sized, characters).map(({ text }) => text.length)).toEqual(want);
});

it.each([
  { count: 1_024, want: 1_024 },
  { count: 1_025, want: 1_024 },
])("shows at most 1,024 of $count short entries", ({ count, want }) => {
  const short = Array.from({ length: count }, (_, at) => entry(String(at)));
  expect(newestEntries(short, windowCharacters)).toEqual(short.slice(-want));
});

it("shows nothing of nothing", () => {
  expect(newestEntries([], 10)).toEqual([]);
});
