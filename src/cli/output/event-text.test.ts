import { expect, it } from "vitest";

import type { SessionEvent } from "../../api/runtime/session-event.ts";
import { EventText } from "./event-text.ts";

type Happened = SessionEvent["event"];

it("shows a session as what was written, between what was done", () => {
  const prompt = { name: "fix-1", uid: "u" };
  const text = shown([
    { kind: "bootProgress", phase: "clone" },
    { kind: "output", source: "clone", repository: "shop", stream: "stderr", text: "Cloning into 'shop'...\ndone.\n" },
    { kind: "bootProgress", phase: "setup", repository: "shop" },
    { kind: "output", source: "setup", repository: "shop", stream: "stdout", text: "installing" },
    {
      kind: "warning",
      scope: "setup",
      repository: "shop",
      message: "setup.sh of repository shop exited with status 2",
    },
    { kind: "ready" },
    { kind: "promptStarted", promptUid: "u" },
    { kind: "tool", promptUid: "u", tool: "1", title: "Read README.md", state: "completed" },
    { kind: "output", source: "agent", promptUid: "u", stream: "stderr", text: "no such model\n" },
    { kind: "promptFinished", prompt, verdict: "failed", message: "the agent exited with status 1" },
    { kind: "promptFinished", prompt, verdict: "succeeded", branch: "fix/it" },
    { kind: "bootFailed", phase: "start", reason: "HookFailed", message: "start.sh\nexited" },
    { kind: "dropped", message: "no more is kept" },
  ]);
  expect(text).toBe(`# 10:15:00Z sandbox 1
# 10:15:00Z clones
shop | Cloning into 'shop'...
shop | done.
# 10:15:00Z setup.sh of shop
shop | installing
# 10:15:00Z warning: setup.sh of repository shop exited with status 2
# 10:15:00Z ready
# 10:15:00Z a prompt begins
# 10:15:00Z tool Read README.md (completed)
no such model
# 10:15:00Z prompt fix-1 has failed: the agent exited with status 1
# 10:15:00Z prompt fix-1 has succeeded; branch fix/it
# 10:15:00Z boot has failed: start.sh exited
# 10:15:00Z no more is kept
`);
});

it.each([
  { name: "a line in pieces", texts: ["a", "b", "c\n"], want: "r | abc\n" },
  { name: "pieces that end with lines", texts: ["a\n", "b\n"], want: "r | a\nr | b\n" },
  { name: "a break at the beginning of a piece", texts: ["a", "\nb"], want: "r | a\nr | b\n" },
  { name: "empty lines", texts: ["a\n\n", "\n"], want: "r | a\nr | \nr | \n" },
  { name: "nothing", texts: [""], want: "" },
])("puts the repository before each line: $name", ({ texts, want }) => {
  const text = new EventText();
  const events = texts.map((one): Happened => ({
    kind: "output",
    source: "start",
    repository: "r",
    stream: "stdout",
    text: one,
  }));
  const shownText = events.map((event, index) => text.take(happened(event, index + 1))).join("") + text.end();
  expect(shownText).toBe(`# 10:15:00Z sandbox 1\n${want}`);
});

it("keeps the lines of two writers apart", () => {
  const text = shown([
    { kind: "output", source: "clone", repository: "a", stream: "stderr", text: "10%" },
    { kind: "output", source: "clone", repository: "b", stream: "stderr", text: "20%" },
    { kind: "output", source: "agent", stream: "stdout", text: "hello" },
  ]);
  expect(text).toBe("# 10:15:00Z sandbox 1\na | 10%\nb | 20%\nhello\n");
});

it("lets no sandbox forge lines or move the cursor", () => {
  const text = shown([
    { kind: "tool", promptUid: "u", tool: "1", title: "x\n# 10:15:00Z prompt p has succeeded", state: "" },
    { kind: "output", source: "agent", stream: "stdout", text: "\u001b[2Jhi\u0007\n" },
  ]);
  expect(text).toBe("# 10:15:00Z sandbox 1\n# 10:15:00Z tool x # 10:15:00Z prompt p has succeeded\nhi\n");
});

it("says which sandbox it is at each new one", () => {
  const text = new EventText();
  const one = text.take({ ...happened({ kind: "ready" }, 1), attempt: 1 });
  const two = text.take({ ...happened({ kind: "ready" }, 1), attempt: 2 });
  expect(one + two).toBe("# 10:15:00Z sandbox 1\n# 10:15:00Z ready\n# 10:15:00Z sandbox 2\n# 10:15:00Z ready\n");
});

function shown(events: readonly Happened[]): string {
  const text = new EventText();
  return events.map((event, index) => text.take(happened(event, index + 1))).join("") + text.end();
}

function happened(event: Happened, seq: number): SessionEvent {
  return { attempt: 1, seq, time: "2026-05-04T10:15:00.000Z", event };
}
