import { describe, expect, it } from "vitest";
import { protocolLimits } from "../../../api/runtime/limits.ts";
import type { SandboxEvent } from "../../../api/runtime/messages.ts";
import { readUpdate } from "./messages.ts";
import { Reply, type ReplyUpdate } from "./reply.ts";

const secret = "planted-secret";

function aReply(): { reply: Reply; said: () => string; events: SandboxEvent[] } {
  const events: SandboxEvent[] = [];
  let text = "";
  const reply = new Reply({
    promptUid: "p",
    secrets: [secret],
    say: (words) => (text += words),
    publish: (event) => events.push(event),
  });
  return { reply, said: () => text, events };
}

const words = (text: string): ReplyUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});
const tool = (toolCallId: string, rest: { title?: string; status?: string } = {}): ReplyUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  title: rest.title,
  status: rest.status,
});

describe("what was asked for in vain", () => {
  const endWith = (stopReason: string, ...refused: string[]) => {
    const { reply } = aReply();
    for (const one of refused) reply.refused(one);
    return reply.end({ stopReason, usage: undefined }).message;
  };
  const why = "nobody is there to answer while it works: say in the prompt what it may assume";

  it.each([
    { name: "one thing", stop: "end_turn", refused: ["a"], want: `the agent finished; it asked for a, and ${why}` },
    {
      name: "several",
      stop: "end_turn",
      refused: ["a", "b", "c"],
      want: `the agent finished; it asked for a, and 2 more, and ${why}`,
    },
    {
      name: "one thing before a failure",
      stop: "refusal",
      refused: [`a ${secret}\u202e`],
      want: `the agent refused to go on; it asked for a ***, and ${why}`,
    },
    { name: "nothing", stop: "end_turn", refused: [], want: undefined },
    { name: "nothing before a failure", stop: "refusal", refused: [], want: "the agent refused to go on" },
  ])("is said of $name", ({ stop, refused, want }) => {
    expect(endWith(stop, ...refused)).toBe(want);
  });

  it.each([299, 300, 301])("shows 300 characters of %i", (length) => {
    const shown = "x".repeat(Math.min(length, 300));
    expect(endWith("end_turn", "x".repeat(length))).toContain(`for ${shown}, and`);
  });
});

describe("the summary", () => {
  it.each([
    { name: "is the message in one piece", updates: [words("Fixed "), words("it.")], want: "Fixed it." },
    {
      name: "is the last message, after the last tool",
      updates: [words("I look."), tool("a"), tool("a", { status: "completed" }), words("Fixed.")],
      want: "Fixed.",
    },
    { name: "is the last message though a tool came after it", updates: [words("Fixed."), tool("a")], want: "Fixed." },
    { name: "is left out where nothing was said", updates: [tool("a")], want: undefined },
    { name: "has no escapes", updates: [words("\u001b[1mFixed\u001b[0m")], want: "Fixed" },
    {
      name: "is whole at the limit",
      updates: [words("x".repeat(protocolLimits.summaryCharacters))],
      want: "x".repeat(protocolLimits.summaryCharacters),
    },
    {
      name: "keeps the end above the limit",
      updates: [words(`a${"x".repeat(protocolLimits.summaryCharacters)}`)],
      want: `[…] ${"x".repeat(protocolLimits.summaryCharacters - 4)}`,
    },
    {
      name: "has no half of a secret where it is cut",
      updates: [words(`${secret}${"x".repeat(protocolLimits.summaryCharacters - 6)}`)],
      want: `***${"x".repeat(protocolLimits.summaryCharacters - 6)}`,
    },
  ])("$name", ({ updates, want }) => {
    const { reply } = aReply();
    for (const update of updates) reply.take(update);
    expect(reply.end({ stopReason: "end_turn" })).toEqual({ verdict: "succeeded", summary: want });
  });
});

it("passes on all that is said, a message a line", () => {
  const { reply, said } = aReply();
  for (const update of [words("I look"), words("."), tool("a"), words("Fixed.")]) reply.take(update);
  expect(said()).toBe("I look.\nFixed.");
});

it("makes an event of each change of a tool and of nothing else", () => {
  const { reply, events } = aReply();
  const updates = [
    tool("a", { title: "bash", status: "pending" }),
    tool("a", { status: "pending" }),
    tool("a"),
    tool("a", { status: "completed" }),
    tool("b", { title: "edit" }),
  ];
  for (const update of updates) reply.take(update);
  expect(events).toEqual([
    { kind: "tool", promptUid: "p", tool: "a", title: "bash", state: "pending" },
    { kind: "tool", promptUid: "p", tool: "a", title: "bash", state: "completed" },
    { kind: "tool", promptUid: "p", tool: "b", title: "edit", state: "" },
  ]);
});

it("tells 1,024 tools apart, and of later ones says each update", () => {
  const { reply, events } = aReply();
  const twice = (index: number): void => {
    for (let time = 0; time < 2; time += 1) reply.take(tool(`t${index}`, { title: "bash" }));
  };
  for (let index = 0; index < 1_024; index += 1) twice(index);
  expect(events).toHaveLength(1_024);
  twice(1_024);
  expect(events).toHaveLength(1_026);
});

it("bounds what a tool is called", () => {
  const { reply, events } = aReply();
  reply.take(tool("i".repeat(200), { title: "t".repeat(5_000), status: "s".repeat(100) }));
  expect(events).toEqual([
    {
      kind: "tool",
      promptUid: "p",
      tool: "i".repeat(128),
      title: "t".repeat(protocolLimits.messageCharacters),
      state: "s".repeat(64),
    },
  ]);
});

it.each([
  { stopReason: "max_tokens", want: /most tokens/ },
  { stopReason: "max_turn_requests", want: /most requests/ },
  { stopReason: "refusal", want: /refused/ },
  { stopReason: "cancelled", want: /cancelled/ },
  { stopReason: "of tomorrow", want: /not known here: of tomorrow$/ },
])("fails with $stopReason, and keeps what was said", ({ stopReason, want }) => {
  const { reply } = aReply();
  reply.take(words("So far."));
  expect(reply.end({ stopReason })).toEqual({
    verdict: "failed",
    message: expect.stringMatching(want) as string,
    summary: "So far.",
  });
});

describe("readUpdate", () => {
  const read = (update: unknown): unknown => readUpdate({ sessionId: "s", update })?.update;

  it("reads the updates of a real turn", () => {
    expect(
      read({ sessionUpdate: "tool_call", toolCallId: "t", title: "bash", kind: "execute", status: "pending" }),
    ).toEqual({ ...tool("t", { title: "bash", status: "pending" }), sessionUpdate: "tool_call" });
    expect(read({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Done." } })).toEqual(
      words("Done."),
    );
    expect(read({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.5, currency: "USD" } })).toEqual({
      sessionUpdate: "usage_update",
      cost: { amount: 0.5, currency: "USD" },
    });
  });

  it.each([
    { name: "one of tomorrow", update: { sessionUpdate: "of tomorrow" } },
    { name: "a plan", update: { sessionUpdate: "plan", entries: [] } },
    { name: "a tool without id", update: { sessionUpdate: "tool_call", title: "x" } },
    { name: "a cost without a currency", update: { sessionUpdate: "usage_update", cost: { amount: 1 } } },
    { name: "nothing", update: undefined },
  ])("leaves $name aside", ({ update }) => {
    expect(read(update)).toBeUndefined();
  });
});
