import { describe, expect, it } from "vitest";

import { countCharacters } from "../../../lib/characters.ts";
import { detailsOf, shownThread, type ThreadEntry } from "./details.ts";

const event = {
  action: "Said",
  channelID: "C0OPS",
  ts: "100.000000",
  threadTS: "1.000000",
  actor: { id: "U0ANN" },
} as const;

function entry(at: number, text = `m${at}`): ThreadEntry {
  return { ts: `${at}.000000`, speaker: "user", name: "U0BOB", text };
}
const entries = (count: number, text?: string): ThreadEntry[] =>
  Array.from({ length: count }, (_, at) => entry(at + 1, text));
const textsOf = (thread: readonly ThreadEntry[], before = "100.000000"): string[] =>
  shownThread(thread, before).map(({ text }) => text);

describe("of a thread", () => {
  it.each([
    [1, ["m1"]],
    [20, entries(20).map(({ text }) => text)],
    [
      21,
      [
        "m1",
        ...entries(21)
          .map(({ text }) => text)
          .slice(2),
      ],
    ],
    [
      50,
      [
        "m1",
        ...entries(50)
          .map(({ text }) => text)
          .slice(31),
      ],
    ],
  ])("with %i earlier messages the first and the newest are shown", (count, want) => {
    expect(textsOf(entries(count).toReversed())).toEqual(want);
    expect(want.length).toBeLessThanOrEqual(20);
  });

  it("the message itself and later ones are left out, and times are compared as decimals", () => {
    const thread = ["9.5", "10.49", "10.500000", "10.6"].map((ts) => ({ ...entry(1, ts), ts }));
    expect(textsOf(thread, "10.5")).toEqual(["9.5", "10.49"]);
  });

  it.each([
    [1_024, 1_024],
    [1_025, 1_024],
  ])("a message of %i characters is shown with %i", (length, shown) => {
    const [text = ""] = textsOf([entry(1, "é".repeat(length))]);
    expect(countCharacters(text)).toBe(shown);
    expect(text.endsWith("[…]")).toBe(length > 1_024);
  });
});

describe("what an agent sees of a message", () => {
  it("is the message, who wrote it and where, and then the thread", () => {
    const surroundings = { channelName: "ops", link: "https://acme.slack.com/archives/C0OPS/p100", thread: [entry(1)] };
    const details = detailsOf({ ...event, text: "and now?" }, surroundings);
    expect(JSON.parse(details)).toEqual({
      channel: { id: "C0OPS", name: "ops" },
      by: "U0ANN",
      link: "https://acme.slack.com/archives/C0OPS/p100",
      text: "and now?",
      thread: [{ speaker: "user", name: "U0BOB", text: "m1" }],
    });
    expect(Object.keys(JSON.parse(details) as object)).toEqual(["channel", "by", "link", "text", "thread"]);
  });

  it("is the message alone where Slack says nothing more", () => {
    expect(JSON.parse(detailsOf({ ...event, text: "hi" }, { thread: [] }))).toEqual({
      channel: { id: "C0OPS" },
      by: "U0ANN",
      text: "hi",
    });
  });

  it("fits a Run's payload however much is escaped: the thread's first message stays the longest", () => {
    const control = "\u0001".repeat(8_192);
    const details = detailsOf({ ...event, text: control }, { thread: entries(20, "\u0001".repeat(1_024)) });
    const { text, thread } = JSON.parse(details) as { text: string; thread: { text: string }[] };
    expect(countCharacters(details)).toBeLessThanOrEqual(65_536);
    expect(text).toBe(control);
    expect(thread.length).toBeGreaterThan(0);
    expect(thread.length).toBeLessThan(20);
    const first = detailsOf(
      { ...event, text: control },
      {
        thread: [
          entry(1, "first"),
          ...entries(20, "\u0001".repeat(1_024)).map((one, at) => ({ ...one, ts: `${at + 2}.0` })),
        ],
      },
    );
    expect((JSON.parse(first) as { thread: { text: string }[] }).thread[0]?.text).toBe("first");
  });
});
