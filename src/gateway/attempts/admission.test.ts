import { expect, it } from "vitest";
import { aSession } from "../../../test/support/builders.ts";
import type { Sandbox } from "../../api/v1alpha1/session-sandbox.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { judgeAdmission } from "./admission.ts";

const pod = { namespace: "tenant", podUid: "pod-1" };
const time = "2026-05-04T10:15:00Z";

const sessionWith = (sandbox: Partial<Sandbox> | undefined, metadata: object = {}): Session =>
  aSession({
    metadata: { namespace: "tenant", name: "s", uid: "session-1", ...metadata },
    status: sandbox ? { sandbox: { attempt: 2, podName: "p", createTime: time, podUID: "pod-1", ...sandbox } } : {},
  });

it.each([
  { name: "the recorded pod", session: sessionWith({}), want: "admit" },
  { name: "a session that is not in the cache", session: undefined, want: "retry" },
  { name: "a session without sandbox", session: sessionWith(undefined), want: "retry" },
  { name: "an attempt that the status does not show yet", session: sessionWith({ attempt: 1 }), want: "retry" },
  { name: "a pod that is not recorded yet", session: sessionWith({ podUID: undefined }), want: "retry" },
  { name: "an attempt that has a successor", session: sessionWith({ attempt: 3 }), want: "over" },
  { name: "an attempt that has ended", session: sessionWith({ endTime: time }), want: "over" },
  { name: "a former attempt that had ended", session: sessionWith({ attempt: 1, endTime: time }), want: "retry" },
  {
    name: "an attempt that ended before its pod was recorded",
    session: sessionWith({ podUID: undefined, endTime: time }),
    want: "over",
  },
  { name: "a session that is being deleted", session: sessionWith({}, { deletionTimestamp: time }), want: "over" },
  { name: "another pod", session: sessionWith({ podUID: "pod-2" }), want: "foreign" },
  { name: "a pod of another namespace", session: sessionWith({}, { namespace: "other" }), want: "foreign" },
])("answers $want to $name", ({ session, want }) => {
  expect(judgeAdmission(session, { sessionUid: "session-1", attempt: 2 }, pod).answer).toBe(want);
});
