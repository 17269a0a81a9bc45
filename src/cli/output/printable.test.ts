import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { systemClock } from "../../lib/clock.ts";
import { systemRandom } from "../../lib/random.ts";
import type { Command } from "../command.ts";
import { runCli } from "../run-cli.ts";
import { printed } from "./printable.ts";
import { textTable } from "./table.ts";

/** An escape sequence in one C1 character, a title, and characters that turn the reading direction around. */
const hostile = "a\u009b31mb\u001b]0;title\u0007c\u202ed\u2066e\u200ff";
// oxlint-disable-next-line no-control-regex -- these are what no terminal may get
const misleading = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200f\u202e\u2066]/;

describe("a result with text of a stranger", () => {
  it("as text has neither commands to the terminal nor characters that reorder", () => {
    expect(printed({ text: `NAME  ${hostile}\nb`, json: {} }, undefined)).toBe("NAME  a31mbcdef\nb\n");
  });

  it("is one line of a table", () => {
    expect(textTable(["NAME", "MESSAGE"], [["a", "done\r\n  b  Completed"]])).toBe(
      "NAME  MESSAGE\na     done b  Completed",
    );
  });

  it.each([
    { format: "json" as const, read: (text: string): unknown => JSON.parse(text) },
    { format: "yaml" as const, read: (text: string): unknown => parse(text) },
  ])("as $format says the same in escapes", ({ format, read }) => {
    const value = { [hostile]: [hostile, "plain", "two\nlines"], length: 3 };
    const text = printed({ text: "", json: value }, format);
    expect(text).not.toMatch(misleading);
    expect(read(text)).toEqual(value);
  });

  it("keeps YAML as it is where nothing has to be escaped", () => {
    expect(printed({ text: "", json: { text: "two\nlines\n", name: "café 😀" } }, "yaml")).toBe(
      "text: |\n  two\n  lines\nname: café 😀\n",
    );
  });
});

it("an error that quotes a stranger is plain", async () => {
  const notes: string[] = [];
  const io = { write: () => undefined, note: (line: string) => void notes.push(line), confirm: undefined };
  const fails: Command = {
    ...{ name: "fail", summary: "fail", parameters: [], flags: {}, formats: [], examples: [] },
    run: () => Promise.resolve({ text: "", json: {}, failure: `it ended: ${hostile}` }),
  };
  const openCluster = (): never => expect.unreachable();
  await runCli({ commands: [fails], io, openCluster, clock: systemClock, random: systemRandom, page: () => [] }, [
    "fail",
  ]);
  expect(notes).toEqual(["error: it ended: a31mbcdef"]);
});
