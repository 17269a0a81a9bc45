import { describe, expect, it } from "vitest";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { RuntimeMessage, type SandboxEvent } from "../../api/runtime/messages.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { OutputRelay, relayLimits } from "./output-relay.ts";

function aRelay(): { relay: OutputRelay; clock: FakeClock; events: SandboxEvent[] } {
  const clock = new FakeClock();
  const events: SandboxEvent[] = [];
  const relay = new OutputRelay(
    { source: "setup", repository: "r" },
    { clock, publish: (event) => events.push(event), secrets: ["hunter22"] },
  );
  return { relay, clock, events };
}

const textsOf = (events: SandboxEvent[]): string[] =>
  events.flatMap((event) => (event.kind === "output" ? [event.text] : []));

it("collects what comes within a quarter of a second, each stream by itself", () => {
  const { relay, clock, events } = aRelay();
  relay.take("stdout", "a");
  relay.take("stderr", "x");
  clock.advance(249);
  relay.take("stdout", "b");
  expect(events).toEqual([]);
  clock.advance(1);
  expect(events).toEqual([
    { kind: "output", source: "setup", repository: "r", stream: "stdout", text: "ab" },
    { kind: "output", source: "setup", repository: "r", stream: "stderr", text: "x" },
  ]);
});

it("sends what is left at the end and nothing after it", () => {
  const { relay, clock, events } = aRelay();
  relay.take("stdout", "last");
  relay.end();
  expect(textsOf(events)).toEqual(["last"]);
  clock.advance(10_000);
  expect(events).toHaveLength(1);
});

it.each([
  { name: "a line end of two characters", pieces: ["one\r", "\ntwo"], want: "one\ntwo" },
  { name: "progress in one line", pieces: ["1%\r", "2%\r"], want: "1%\n2%\n" },
  { name: "a colour", pieces: ["a\u001b[3", "1mred\u001b", "[0m"], want: "ared" },
  { name: "a title", pieces: ["\u001b]0;ti", "tle\u0007a"], want: "a" },
])("reads $name that comes in parts as a whole", ({ pieces, want }) => {
  const { relay, clock, events } = aRelay();
  for (const piece of pieces) {
    relay.take("stdout", piece);
    clock.advance(relayLimits.collectMs);
  }
  relay.end();
  expect(textsOf(events).join("")).toBe(want);
});

it("leaves no part of a colour wherever long output is cut", () => {
  const { relay, events } = aRelay();
  const line = "\u001b[38;5;208mwarning\u001b[0m\r\n";
  for (let count = 0; count < 20_000; count += 1) relay.take("stdout", line);
  relay.end();
  expect(textsOf(events).join("")).toBe("warning\n".repeat(20_000));
});

it("never makes an event that the gateway would refuse, whatever is written", () => {
  const { relay, events } = aRelay();
  for (const unit of ['"', "\\", "\n", "𝄞", "\u0000", "\u001b[0m", "x"]) relay.take("stdout", unit.repeat(20_000));
  relay.end();
  for (const [index, event] of events.entries()) {
    const frame = JSON.stringify({ type: "event", seq: index + 1, event });
    expect(Buffer.byteLength(frame)).toBeLessThanOrEqual(protocolLimits.runtimeFrameBytes);
    expect(RuntimeMessage.safeParse(JSON.parse(frame)).success).toBe(true);
  }
});

describe("of more output than can be kept", () => {
  const { beginning, end } = relayLimits;
  const all = beginning + end;

  it.each([
    { length: all - 1, cut: 0 },
    { length: all, cut: 0 },
    { length: all + 1, cut: 1 },
    { length: 3_000_000, cut: 3_000_000 - all },
  ])("beginning and end are shown, and between them that $cut of $length are not", ({ length, cut }) => {
    const { relay, events } = aRelay();
    const text = `BEGIN${"x".repeat(length - 10)}ERROR`;
    for (let at = 0; at < length; at += 10_000) relay.take("stdout", text.slice(at, at + 10_000));
    expect(textsOf(events).join("").length).toBeLessThanOrEqual(beginning);
    relay.end();
    expect(textsOf(events).join("")).toBe(text.slice(0, beginning) + text.slice(Math.max(beginning, length - end)));
    const at = events.findIndex(({ kind }) => kind === "warning");
    if (cut === 0) {
      expect(at).toBe(-1);
      return;
    }
    expect(events[at]).toMatchObject({ message: `${cut} characters of output are not shown here; its end follows` });
    expect(textsOf(events.slice(at)).join("")).toBe(text.slice(-end));
  });

  it("the end of standard error is shown, however much standard output comes after it", () => {
    const { relay, events } = aRelay();
    relay.take("stdout", "x".repeat(beginning));
    relay.take("stderr", "no space left");
    for (let count = 0; count < 20; count += 1) relay.take("stdout", "y".repeat(end));
    relay.end();
    const said = events.flatMap((event) => (event.kind === "output" && event.stream === "stderr" ? [event.text] : []));
    expect(said).toEqual(["no space left"]);
  });

  it("no event is one that the gateway would refuse", () => {
    const { relay, events } = aRelay();
    for (let count = 0; count < 300; count += 1) relay.take("stderr", '𝄞"\\\u0000'.repeat(2_000));
    relay.end();
    for (const [index, event] of events.entries()) {
      const frame = JSON.stringify({ type: "event", seq: index + 1, event });
      expect(Buffer.byteLength(frame)).toBeLessThanOrEqual(protocolLimits.runtimeFrameBytes);
      expect(RuntimeMessage.safeParse(JSON.parse(frame)).success).toBe(true);
    }
    // What comes at once must not be more than is taken at once.
    expect(events.length).toBeLessThan(protocolLimits.events.burst);
  });
});

it("keeps a secret to itself that comes in pieces, in each stream by itself", () => {
  const { relay, clock, events } = aRelay();
  relay.take("stdout", "password hunt");
  clock.advance(relayLimits.collectMs);
  relay.take("stderr", "er22 is no");
  relay.take("stdout", "er22, hunt");
  relay.end();
  expect(textsOf(events).join("|")).toBe("password |er22 is no|***, hunt");
});
