import { expect, it } from "vitest";

import type { NumberedMessage } from "../../src/api/runtime/messages.ts";
import type { SessionEvent } from "../../src/api/runtime/session-event.ts";
import type { Prompt } from "../../src/api/v1alpha1/prompt.ts";
import { Ledger } from "./ledger.ts";
import { type Remains, violationsOf } from "./violations.ts";

const speaker = { sessionUid: "s", attempt: 1 };
const time = "2026-05-04T10:15:00Z";

function prompt(number: number, reason: string, summary?: string): Prompt {
  const status = reason === "Completed" ? "True" : "False";
  return {
    metadata: { name: `p-${number}`, uid: `u-${number}` },
    spec: { sessionRef: { name: "s" }, text: `Do it. #${number}` },
    status: {
      conditions: [{ type: "Succeeded", status, reason, message: "", lastTransitionTime: time }],
      result: { summary },
    },
  };
}

function finished(seq: number, number: number): NumberedMessage {
  const reference = { name: `p-${number}`, uid: `u-${number}` };
  return {
    type: "promptFinished",
    seq,
    outcome: { prompt: reference, verdict: "succeeded", summary: `did ${number}` },
  };
}

function told(seq: number, message: NumberedMessage): SessionEvent {
  if (message.type !== "promptFinished") throw new Error("only results are sent here");
  return { attempt: 1, seq, time, event: { kind: "promptFinished", ...message.outcome } };
}

/** Two prompts of one session: the first one succeeded, the second one went down with its killed runtime. */
function story(): { ledger: Ledger; remains: Remains & { prompts: Prompt[]; work: string[] } } {
  const ledger = new Ledger();
  for (const number of [1, 2]) ledger.accepted.push({ number, sessionUid: "s" });
  ledger.runtimeKilled("s");
  ledger.said(speaker, finished(4, 1));
  ledger.told(speaker, { type: "ack", seq: 4 });
  return {
    ledger,
    remains: {
      prompts: [prompt(1, "Completed", "did 1"), prompt(2, "SandboxLost")],
      events: new Map([["s", [told(4, finished(4, 1))]]]),
      work: ["begin 1", "end 1", "begin 2"],
    },
  };
}

it("finds nothing where all was kept", () => {
  const { ledger, remains } = story();
  expect(violationsOf(ledger, remains)).toEqual([]);
});

it.each<{ name: string; spoil: (told: ReturnType<typeof story>) => void; want: string[] }>([
  {
    name: "an accepted prompt that is not there",
    spoil: ({ remains }) => remains.prompts.pop(),
    want: ["prompt 2 is there 0 times"],
  },
  {
    name: "an accepted prompt that is there twice",
    spoil: ({ remains }) => remains.prompts.push(prompt(2, "Completed", "did 2")),
    want: ["prompt 2 is there 2 times"],
  },
  {
    name: "a prompt without end",
    spoil: ({ remains }) => delete remains.prompts[1]?.status,
    want: ["prompt 2 has not ended"],
  },
  {
    name: "a prompt that was done twice",
    spoil: ({ remains }) => remains.work.push("begin 2", "end 2", "end 2"),
    want: ["prompt 2 was begun 2 times and done 2 times"],
  },
  {
    name: "a success of which no agent knows",
    spoil: ({ remains }) => (remains.prompts[1] = prompt(2, "Completed", "did 2")),
    want: ["prompt 2 succeeded and was done 0 times"],
  },
  {
    name: "a success without its result",
    spoil: ({ remains }) => (remains.prompts[0] = prompt(1, "Completed")),
    want: ["prompt 1 has lost its result", "the acknowledged result of Prompt p-1 is not in its status"],
  },
  {
    name: "a failure that no kill explains",
    spoil: ({ ledger }) => ledger.killedRuntimes.clear(),
    want: ["of session s prompts 2 failed, and 0 of its runtimes were killed"],
  },
  {
    name: "another order than that in which prompts were accepted",
    spoil: ({ remains }) => remains.work.unshift("begin 2", ...remains.work.splice(0, 2)),
    want: ["prompt 2 was begun 2 times and done 0 times", "session s worked in the order begin 2, begin 1, begin 2"],
  },
  {
    name: "an acknowledged event that cannot be read",
    spoil: ({ ledger }) => {
      ledger.said(speaker, { type: "ready", seq: 5 });
      ledger.told(speaker, { type: "welcome", protocol: 1, acknowledged: 5, accepts: [] });
    },
    want: ["event 1.5 of session s, which was acknowledged, cannot be read"],
  },
  {
    name: "an event that is sent twice",
    spoil: ({ remains }) => (remains.events.get("s") as SessionEvent[]).push(told(4, finished(4, 1))),
    want: ["session s tells an event twice"],
  },
  {
    name: "a verdict that changes",
    spoil: ({ ledger }) => {
      ledger.follow(prompt(2, "SandboxLost"));
      ledger.follow(prompt(2, "Completed"));
    },
    want: ["Prompt p-2 was False SandboxLost and became True Completed"],
  },
])("finds $name", ({ spoil, want }) => {
  const told = story();
  spoil(told);
  expect(violationsOf(told.ledger, told.remains)).toEqual(want);
});

it("does not miss what was not acknowledged", () => {
  const { ledger, remains } = story();
  ledger.said(speaker, { type: "ready", seq: 5 });
  ledger.told(speaker, { type: "ack", seq: 4 });
  expect(violationsOf(ledger, remains)).toEqual([]);
});
