import { expect, it } from "vitest";
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

it.each([
  { over: 0, want: undefined },
  { over: 1, want: "1 more characters of output are not shown" },
])("stops at its limit and says by how much: $over over", ({ over, want }) => {
  const { relay, events } = aRelay();
  relay.take("stdout", "x".repeat(relayLimits.perCommand - 1));
  relay.take("stdout", "y".repeat(1 + over));
  relay.end();
  expect(textsOf(events).join("")).toHaveLength(relayLimits.perCommand);
  const warning = events.find((event) => event.kind === "warning");
  expect(warning?.message).toBe(want);
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
