import { expect, it } from "vitest";
import { aSession } from "../../../test/support/builders.ts";
import { type ConnectionFacts, planConnection } from "./plan.ts";

const time = "2026-05-04T10:15:00Z";
const sandbox = { attempt: 1, podName: "p", podUID: "u", createTime: time };
const current = { name: "s-1", uid: "p1", startTime: time, deadline: time };
const tunnels = [{ port: 3000, url: "https://gateway.invalid/" }];
const first = { name: "s-1", uid: "p1" };
const other = { name: "s-0", uid: "p0" };

const facts = (
  change: { sent?: string[]; open?: { name: string; uid: string }[]; sentTunnels?: boolean; isSaving?: boolean } = {},
): ConnectionFacts => ({
  attempt: 1,
  sent: new Set(change.sent),
  sentTunnels: change.sentTunnels ?? false,
  isSaving: change.isSaving ?? false,
  open: new Map((change.open ?? []).map((prompt) => [prompt.uid, prompt])),
});

it.each([
  {
    name: "waits when there is nothing to do",
    session: aSession({ status: { sandbox } }),
    facts: facts(),
    want: { doubtful: [] },
  },
  {
    name: "sends the current prompt",
    session: aSession({ status: { sandbox, currentPrompt: current } }),
    facts: facts(),
    want: { prompt: first, doubtful: [] },
  },
  {
    name: "sends it once",
    session: aSession({ status: { sandbox, currentPrompt: current } }),
    facts: facts({ sent: ["p1"], open: [first] }),
    want: { doubtful: [] },
  },
  {
    name: "doubts an open prompt that is not current, and still sends the current one",
    session: aSession({ status: { sandbox, currentPrompt: current } }),
    facts: facts({ sent: ["p0"], open: [other] }),
    want: { prompt: first, doubtful: [other] },
  },
  {
    name: "sends the tunnels",
    session: aSession({ status: { sandbox: { ...sandbox, tunnels }, currentPrompt: current } }),
    facts: facts(),
    want: { tunnels, prompt: first, doubtful: [] },
  },
  {
    name: "sends the tunnels once",
    session: aSession({ status: { sandbox: { ...sandbox, tunnels } } }),
    facts: facts({ sentTunnels: true }),
    want: { doubtful: [] },
  },
  {
    name: "sends no empty list of tunnels",
    session: aSession({ status: { sandbox: { ...sandbox, tunnels: [] } } }),
    facts: facts(),
    want: { doubtful: [] },
  },
  {
    name: "says that the workspace is being saved",
    session: aSession({ status: { sandbox: { ...sandbox, snapshotTime: time } } }),
    facts: facts(),
    want: { saving: true, doubtful: [] },
  },
  {
    name: "says so once",
    session: aSession({ status: { sandbox: { ...sandbox, snapshotTime: time } } }),
    facts: facts({ isSaving: true }),
    want: { doubtful: [] },
  },
  {
    name: "says that the saving goes on no more",
    session: aSession({ status: { sandbox } }),
    facts: facts({ isSaving: true }),
    want: { saving: false, doubtful: [] },
  },
  {
    name: "ends the attempt with the status's reason",
    session: aSession({
      status: { sandbox: { ...sandbox, endTime: time, endReason: "HeartbeatLost" }, currentPrompt: current },
    }),
    facts: facts({ open: [first] }),
    want: { shutdown: "HeartbeatLost", doubtful: [] },
  },
  {
    name: "ends the attempt that has a successor",
    session: aSession({ status: { sandbox: { ...sandbox, attempt: 2 } } }),
    facts: facts(),
    want: { shutdown: "AttemptOver", doubtful: [] },
  },
  {
    name: "ends with its session",
    session: undefined,
    facts: facts(),
    want: { shutdown: "SessionDeleted", doubtful: [] },
  },
])("$name", ({ session, facts: known, want }) => {
  expect(planConnection(session, known)).toEqual(want);
});
