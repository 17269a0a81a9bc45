import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import type { SessionFacts } from "../facts.ts";
import type { WorkspaceMark } from "../lifecycle.ts";

const whatHappened = {
  Missing: "is not in the blob store",
  Damaged: "is damaged in the blob store",
  Refused: "was refused, as no save could have written it or it has more files than a workspace may",
} as const;

/**
 * The status with the saved workspace marked once it is known to be lost, so that no later sandbox is to begin with it;
 * `lost` says so in the decision that finds it.
 */
export function foldRestore({ lease }: SessionFacts, status: SessionStatus): { status: SessionStatus; lost?: string } {
  const { snapshot, sandbox } = status;
  const { of, problem, image } = lease?.restore ?? {};
  if (image || problem === "Unreachable") return { status };
  if (!snapshot || !sandbox || problem === undefined) return { status };
  if (snapshot.attempt !== of || snapshot.problem !== undefined) return { status };
  const lost = `sandbox ${sandbox.attempt} began with a fresh workspace: that of sandbox ${of}, saved at ${snapshot.time}, ${whatHappened[problem]}`;
  return { status: { ...status, snapshot: { ...snapshot, problem } }, lost };
}

/** What a decision brings to the condition `WorkspaceRestored`; undefined: it stays as it is. */
export function restoringMark(
  { lease }: SessionFacts,
  { sandbox }: SessionStatus,
  lost: string | undefined,
): WorkspaceMark | undefined {
  if (lost !== undefined) return { status: "False", reason: reasons.workspaceNotRestored, message: lost };
  const { of, problem, image } = lease?.restore ?? {};
  if (image || of === undefined || problem !== undefined || sandbox?.readyTime === undefined) return undefined;
  const message = `sandbox ${sandbox.attempt} began with the workspace of sandbox ${of}`;
  return { status: "True", reason: reasons.workspaceRestored, message };
}
