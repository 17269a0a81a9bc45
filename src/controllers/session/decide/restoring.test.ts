import { expect, it } from "vitest";
import type { RestoreNote } from "../../../api/runtime/bundle.ts";
import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import { aPrompt, aSession } from "../../../../test/support/builders.ts";
import { decided } from "../fake-steps.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const limits = { bootTimeoutMs: 1_800_000, executionTimeoutMs: 7_200_000 };
const time = "2026-05-04T09:59:00.000Z";
const sandbox: Sandbox = {
  attempt: 3,
  podName: "fix-x-3",
  podUID: "u3",
  createTime: time,
  containerStartTime: time,
  connectTime: time,
};
const snapshot = { attempt: 2, time: "2026-05-04T08:00:00.000Z", bytes: 7, archive: "a1", digest: "sha256:00" };

function after(
  restore: RestoreNote,
  status: SessionStatus,
  { isReady = true, idleTimeoutSeconds = 600 } = {},
): ReturnType<typeof decided>["effects"] {
  const pod = { name: "fix-x-3", uid: "u3", resourceVersion: "7", attempt: 3, isStarted: true, isTerminating: false };
  const metadata = { namespace: "team", uid: "s1", generation: 1 };
  const session = aSession({ metadata, spec: { idleTimeoutSeconds }, status });
  const prompts = [aPrompt({ metadata: { namespace: "team", uid: "p1" } })];
  const facts = {
    session,
    prompts,
    pods: status.sandbox?.endTime === undefined ? [pod] : [],
    secrets: [],
    children: [],
    isSilent: false,
  };
  return decided({ ...facts, lease: { isReady, restore } }, now, limits).effects;
}

const condition = (status: string, message: string): object => {
  const reason = status === "True" ? "WorkspaceRestored" : "WorkspaceNotRestored";
  return expect.objectContaining({ type: "WorkspaceRestored", status, reason, message }) as object;
};

it.each([
  { problem: "Missing" as const, want: "is not in the blob store" },
  { problem: "Damaged" as const, want: "is damaged in the blob store" },
  {
    problem: "Refused" as const,
    want: "was refused, as no save could have written it or it has more files than a workspace may",
  },
])("marks a workspace that the gateway found $problem, and says so once", ({ problem, want }) => {
  const message = `sandbox 3 began with a fresh workspace: that of sandbox 2, saved at ${snapshot.time}, ${want}`;
  const [first] = after({ of: 2, problem }, { sandbox, snapshot }, { isReady: false });
  expect(first).toMatchObject({
    kind: "writeStatus",
    event: { type: "Warning", reason: "WorkspaceNotRestored", action: "RestoreWorkspace", note: message },
    status: { snapshot: { ...snapshot, problem } },
  });
  if (first?.kind !== "writeStatus") throw new Error("no status");
  expect(first.status.conditions).toContainEqual(condition("False", message));
  const again = after({ of: 2, problem }, first.status, { isReady: false });
  expect(again.filter((effect) => "event" in effect && effect.event)).toEqual([]);
});

it("says what a sandbox began with once it is ready, and not before", () => {
  const said = (isReady: boolean): unknown => {
    const [first] = after({ of: 2 }, { sandbox, snapshot }, { isReady });
    return first?.kind === "writeStatus" ? first.status.conditions : [];
  };
  expect(said(true)).toContainEqual(condition("True", "sandbox 3 began with the workspace of sandbox 2"));
  expect(said(false)).not.toContainEqual(expect.objectContaining({ type: "WorkspaceRestored" }));
});

/** What the next sandbox boots with. */
function bundleOf(saved: SessionStatus["snapshot"], idleTimeoutSeconds?: number): unknown {
  const ended = { ...sandbox, endTime: time, endReason: "Stopped" };
  const effects = after({ of: 2 }, { sandbox: ended, snapshot: saved }, { idleTimeoutSeconds });
  const bundle = effects.find(({ kind }) => kind === "createBundle");
  if (bundle?.kind !== "createBundle") throw new Error("nothing is started");
  return JSON.parse(Buffer.from(bundle.secret.data!["bundle.json"]!, "base64").toString());
}

it("tells a sandbox whether its workspace will be saved", () => {
  expect(bundleOf(undefined, 1)).toMatchObject({ keepsWorkspace: true });
  expect(bundleOf(undefined, 0)).not.toHaveProperty("keepsWorkspace");
});

it("has no sandbox begin with a workspace that is lost", () => {
  expect(bundleOf(snapshot)).toMatchObject({ restores: 2 });
  expect(bundleOf({ ...snapshot, problem: "Damaged" })).not.toHaveProperty("restores");
});
