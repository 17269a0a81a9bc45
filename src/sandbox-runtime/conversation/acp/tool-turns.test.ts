import { expect, it } from "vitest";

import { knownCalls, ToolTurns } from "./tool-turns.ts";

const none = { title: undefined, status: undefined };
const call = (toolCallId: string) => ({ sessionUpdate: "tool_call", toolCallId, ...none }) as const;
const update = (toolCallId: string) => ({ sessionUpdate: "tool_call_update", toolCallId, ...none }) as const;

it("an update is of the turn in which its call began", () => {
  const tools = new ToolTurns<string>();
  expect(tools.turnOf(call("a"), "one")).toBe("one");
  expect([tools.turnOf(update("a"), "two"), tools.turnOf(update("a"), undefined)]).toEqual(["one", "one"]);
});

it("a call that begins again is of the turn in which it does", () => {
  const tools = new ToolTurns<string>();
  tools.turnOf(call("a"), "one");
  expect([tools.turnOf(call("a"), "two"), tools.turnOf(update("a"), "three")]).toEqual(["two", "two"]);
});

it("what was never begun is of the turn in which it comes first", () => {
  const tools = new ToolTurns<string>();
  expect([tools.turnOf(update("a"), undefined), tools.turnOf(update("a"), "two")]).toEqual([undefined, "two"]);
  expect(tools.turnOf(update("a"), "three")).toBe("two");
});

it("words are of the turn in which they come", () => {
  const words = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "a" } } as const;
  expect(new ToolTurns<string>().turnOf(words, "two")).toBe("two");
});

it.each([
  { others: knownCalls - 2, want: "one" },
  { others: knownCalls - 1, want: "one" },
  { others: knownCalls, want: "two" },
])("the turn of a call is known after $others others: $want", ({ others, want }) => {
  const tools = new ToolTurns<string>();
  tools.turnOf(call("a"), "one");
  for (let index = 0; index < others; index += 1) tools.turnOf(call(`b${index}`), "one");
  expect(tools.turnOf(update("a"), "two")).toBe(want);
});
