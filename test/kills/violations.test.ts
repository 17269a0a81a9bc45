import { expect, it } from "vitest";

import type { NumberedMessage } from "../../src/api/runtime/messages.ts";
import type { SessionEvent } from "../../src/api/runtime/session-event.ts";
import type { Prompt } from "../../src/api/v1alpha1/prompt.ts";
import type { SessionStatus } from "../../src/api/v1alpha1/session.ts";
import { aSession } from "../support/builders.ts";
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
  ledger.runtimeKilled(speaker);
  ledger.said(speaker, finished(4, 1));
  ledger.told(speaker, { type: "ack", seq: 4 });
  return {
    ledger,
    remains: {
      sessions: [],
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
    name: "a prompt that was cancelled, though its runtime was killed",
    spoil: ({ remains }) => (remains.prompts[1] = prompt(2, "Cancelled")),
    want: ["prompt 2 was cancelled"],
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

const cost = (costUsd: number): NumberedMessage => {
  const outcome = { prompt: { name: "p-1", uid: "u-1" }, verdict: "succeeded" as const, summary: "did 1" };
  return { type: "promptFinished", seq: 5, outcome: { ...outcome, usage: { sandboxCostUsd: costUsd } } };
};

it.each([
  { name: "what was acknowledged and nothing else", costUsd: "0.5", want: [] },
  { name: "some of what was said beside it", costUsd: "0.7", want: [] },
  { name: "all that was said", costUsd: "0.8", want: [] },
  { name: "less than was acknowledged", costUsd: "0.499999", want: [0.499999] },
  { name: "more than was said", costUsd: "0.800001", want: [0.800001] },
  { name: "nothing", costUsd: undefined, want: [0] },
])("finds whether costs count once: $name", ({ costUsd, want }) => {
  const { ledger, remains } = story();
  ledger.said(speaker, { type: "usage", costUsd: 0.25 });
  ledger.said(speaker, cost(0.5));
  ledger.told(speaker, { type: "ack", seq: 5 });
  ledger.said({ ...speaker, attempt: 2 }, { type: "usage", costUsd: 0.3 });
  const sessions = [aSession({ metadata: { name: "s", uid: "s" }, status: { costUsd } })];
  const events = new Map([["s", [told(4, finished(4, 1)), told(5, cost(0.5))]]]);
  expect(violationsOf(ledger, { ...remains, sessions, events })).toEqual(
    want.map((found) => `session s has cost ${found} USD; 0.5 were acknowledged and 0.8 said`),
  );
});

/** The ledger of a session whose third prompt is processed by the second sandbox, which began with what the first one saved. */
function restored(): ReturnType<typeof story> & { follow: (status: SessionStatus) => void } {
  const told = story();
  const { ledger, remains } = told;
  const follow = (status: SessionStatus): void => {
    ledger.followSession(aSession({ metadata: { name: "s", uid: "s" }, status }));
  };
  const sandbox = { podName: "s-1", createTime: time };
  const snapshot = { attempt: 1, bytes: 1, time };
  follow({ sandbox: { ...sandbox, attempt: 1 } });
  follow({ sandbox: { ...sandbox, attempt: 2 }, snapshot });
  ledger.accepted.push({ number: 3, sessionUid: "s" });
  for (const [number, attempt] of [
    [1, 1],
    [2, 1],
    [3, 2],
  ] as const)
    ledger.told({ ...speaker, attempt }, promptSent(number));
  const found = ["found 3 in workspace: 1", "found 3 in home: 1"];
  remains.work.push("begin 3", ...found, "end 3");
  remains.prompts.push(prompt(3, "Completed", "did 3"));
  return { ...told, follow };
}

const promptSent = (number: number) =>
  ({ type: "prompt", prompt: { name: `p-${number}`, uid: `u-${number}` }, text: `Do it. #${number}` }) as const;

it.each<{ name: string; spoil: (told: ReturnType<typeof restored>) => void; want: string[] }>([
  { name: "nothing where the saved work is there", spoil: () => undefined, want: [] },
  {
    name: "a workspace that was not restored",
    spoil: ({ remains }) => (remains.work[4] = "found 3 in workspace:"),
    want: ["prompt 3 found nothing in its workspace, not 1"],
  },
  {
    name: "a home that was not restored",
    spoil: ({ remains }) => (remains.work[5] = "found 3 in home:"),
    want: ["prompt 3 found nothing in its home, not 1"],
  },
  {
    name: "work of a prompt that was not done",
    spoil: ({ remains }) => (remains.work[4] = "found 3 in workspace: 1 2"),
    want: ["prompt 3 found 1 2 in its workspace, not 1"],
  },
  {
    name: "a saved workspace that an older one replaces",
    spoil: ({ follow }) => {
      follow({ snapshot: { attempt: 2, bytes: 1, time } });
      follow({ snapshot: { attempt: 1, bytes: 1, time } });
    },
    want: ["session s had the workspace of attempt 2 and then that of 1"],
  },
  {
    name: "an archive that is damaged",
    spoil: ({ follow }) => follow({ snapshot: { attempt: 1, bytes: 1, time, problem: "Damaged" } }),
    want: ["the saved workspace of session s is Damaged"],
  },
])("finds $name", ({ spoil, want }) => {
  const told = restored();
  spoil(told);
  expect(violationsOf(told.ledger, told.remains)).toEqual(want);
});
