import { expect, it } from "vitest";
import type { SessionEvent } from "../api.ts";
import { type Entry, mostEntries, withEvent } from "./timeline-entries.ts";

const time = "2026-03-31T12:00:00Z";
let seq = 0;
const of = (event: SessionEvent["event"]): SessionEvent => ({ attempt: 1, seq: (seq += 1), time, event });
const output = (text: string, source: "agent" | "setup" = "agent"): SessionEvent =>
  of({ kind: "output", source, stream: "stdout", text });
const all = (...events: SessionEvent[]): readonly Entry[] => events.reduce<readonly Entry[]>(withEvent, []);

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

it("keeps the last entries of a long session", () => {
  const ready = (): SessionEvent => of({ kind: "ready" });
  const entries = all(...Array.from({ length: mostEntries + 1 }, ready));
  expect(entries).toHaveLength(mostEntries);
  expect(entries.at(-1)!.key).toBe(`1.${seq}`);
});
