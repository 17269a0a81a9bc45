import { describe, expect, it } from "vitest";
import { type Reason, reasonMeanings, reasons } from "../../api/v1alpha1/index.ts";
import type { Run } from "../../api/v1alpha1/run.ts";
import { aRun } from "../../../test/support/builders.ts";
import { failureOrigin } from "./failure-origin.ts";

function endedRun(reason: string, sessions: readonly (string | undefined)[] = [], status = "False"): Run {
  return aRun({
    status: {
      sessions: sessions.map((one, index) => ({ name: `run-${index}`, reason: one })),
      conditions: [{ type: "Succeeded", status: status as "False", reason, message: "", lastTransitionTime: "" }],
    },
  });
}

describe("whose failure a Run is", () => {
  it.each([
    { reason: "Failed", want: "agent" },
    { reason: "ExecutionTimeout", want: "agent" },
    { reason: "OutOfMemory", want: "agent" },
    { reason: "HookFailed", want: "agent" },
    { reason: "BootTimeout", want: "platform" },
    { reason: "HeartbeatLost", want: "platform" },
    { reason: "Unschedulable", want: "platform" },
    { reason: "OwnerNotAllowed", want: "platform" },
    { reason: "AutomationChanged", want: "platform" },
    { reason: "Cancelled", sessions: ["Cancelled"], want: "person" },
    { reason: "PartiallyFailed", sessions: ["Completed", "Cancelled"], want: "person" },
    { reason: "PartiallyFailed", sessions: ["Cancelled", "Completed", "Failed"], want: "agent" },
    { reason: "Failed", sessions: ["Cancelled", "Failed"], want: "agent" },
    { reason: "Failed", sessions: ["Cancelled", "BootTimeout"], want: "platform" },
    { reason: "Skipped", want: undefined },
    { reason: "Skipped", sessions: ["StartDeadlineExceeded"], want: undefined },
    { reason: "PartiallyFailed", sessions: ["Completed", "StartDeadlineExceeded"], want: "platform" },
    { reason: "Completed", status: "True", want: undefined },
    { reason: "Running", status: "Unknown", want: undefined },
    { reason: "PartiallyFailed", sessions: ["Completed", "Failed"], want: "agent" },
    { reason: "PartiallyFailed", sessions: ["Completed", "BootTimeout"], want: "platform" },
    { reason: "Failed", sessions: ["Failed", "BootTimeout"], want: "platform" },
    { reason: "ExecutionTimeout", sessions: ["ExecutionTimeout", undefined], want: "agent" },
  ])("$reason of sessions $sessions is $want", ({ reason, sessions, status, want }) => {
    expect(failureOrigin(endedRun(reason, sessions, status))).toBe(want);
  });

  it("is defined for every reason of a failure, and for no other", () => {
    const { pending, queued, running, completed, skipped, ready, idle, booting, connecting } = reasons;
    const harmless: Reason[] = [pending, queued, running, completed, skipped, ready, idle, booting, connecting];
    for (const reason of harmless) expect(reasonMeanings[reason]).not.toHaveProperty("failureOf");
    const { failed, cancelled, connectTimeout, bootTimeout, heartbeatLost, executionTimeout, sandboxLost } = reasons;
    const { cloneFailed, hookFailed, agentNotStarted, imagePullFailed, podRejected, outOfMemory } = reasons;
    const { ownerNotAllowed, serviceAccountNotFound, sandboxClassNotFound, repositoryNotFound, nameTaken } = reasons;
    const harmful: Reason[] = [
      ...[failed, cancelled, connectTimeout, bootTimeout, heartbeatLost, executionTimeout, sandboxLost, nameTaken],
      ...[cloneFailed, hookFailed, agentNotStarted, imagePullFailed, podRejected, outOfMemory, ownerNotAllowed],
      ...[serviceAccountNotFound, sandboxClassNotFound, repositoryNotFound],
    ];
    for (const reason of harmful) expect(reasonMeanings[reason]).toHaveProperty("failureOf");
  });
});
