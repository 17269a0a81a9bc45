import { expect, it } from "vitest";
import type { Sandbox, Session } from "../../api/v1alpha1/session.ts";
import { judgeAdmission } from "./admission.ts";

const pod = { namespace: "tenant", podUid: "pod-1" };
const time = "2026-05-04T10:15:00Z";

function aSession(sandbox: Partial<Sandbox> | undefined, metadata: object = {}): Session {
  const known = { attempt: 2, podName: "p", createTime: time, podUID: "pod-1", ...sandbox };
  return {
    metadata: { namespace: "tenant", name: "s", uid: "session-1", ...metadata },
    spec: { serviceAccountName: "a", idleTimeoutSeconds: 0, target: {} },
    status: sandbox ? { sandbox: known } : {},
  };
}

it.each([
  { name: "the recorded pod", session: aSession({}), want: "admit" },
  { name: "a session that is not in the cache", session: undefined, want: "retry" },
  { name: "a session without sandbox", session: aSession(undefined), want: "retry" },
  { name: "an attempt that the status does not show yet", session: aSession({ attempt: 1 }), want: "retry" },
  { name: "a pod that is not recorded yet", session: aSession({ podUID: undefined }), want: "retry" },
  { name: "an attempt that has a successor", session: aSession({ attempt: 3 }), want: "over" },
  { name: "an attempt that has ended", session: aSession({ endTime: time }), want: "over" },
  { name: "a former attempt that had ended", session: aSession({ attempt: 1, endTime: time }), want: "retry" },
  {
    name: "an attempt that ended before its pod was recorded",
    session: aSession({ podUID: undefined, endTime: time }),
    want: "over",
  },
  { name: "a session that is being deleted", session: aSession({}, { deletionTimestamp: time }), want: "over" },
  { name: "another pod", session: aSession({ podUID: "pod-2" }), want: "foreign" },
  { name: "a pod of another namespace", session: aSession({}, { namespace: "other" }), want: "foreign" },
])("answers $want to $name", ({ session, want }) => {
  expect(judgeAdmission(session, { sessionUid: "session-1", attempt: 2 }, pod).answer).toBe(want);
});
