import { expect, it } from "vitest";

import { aSession } from "../../../test/support/builders.ts";
import { conditionTypes, type Session } from "../../api/v1alpha1/index.ts";
import { isFinished } from "./is-finished.ts";

const time = "2026-05-04T10:15:00.000Z";
const sandbox = { attempt: 1, podName: "p", createTime: time };
const ended = { ...sandbox, endTime: time };
const currentPrompt = { name: "p", uid: "u", startTime: time, deadline: time };
const stalled = {
  type: conditionTypes.stalled,
  status: "True" as const,
  reason: "X",
  message: "",
  lastTransitionTime: time,
};

it.each<{ name: string; status: Session["status"]; want: boolean }>([
  { name: "it has no status", status: undefined, want: false },
  { name: "its first prompt is to come", status: {}, want: false },
  { name: "its sandbox is up", status: { sandbox }, want: false },
  { name: "its sandbox is over", status: { sandbox: ended }, want: true },
  { name: "its sandbox is over and a prompt waits", status: { sandbox: ended, queue: ["u"] }, want: false },
  { name: "its sandbox is over and a prompt is processed", status: { sandbox: ended, currentPrompt }, want: false },
  { name: "it cannot have a sandbox", status: { conditions: [stalled] }, want: true },
  { name: "it cannot have a sandbox and a prompt waits", status: { conditions: [stalled], queue: ["u"] }, want: false },
])("is finished when $name: $want", ({ status, want }) => {
  expect(isFinished(aSession({ status }))).toBe(want);
});

it("is finished when it is being deleted", () => {
  const session = aSession({ status: { sandbox, currentPrompt } });
  expect(isFinished({ ...session, metadata: { ...session.metadata, deletionTimestamp: time } })).toBe(true);
});
