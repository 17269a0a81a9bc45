import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import { snapshotNote } from "../../sandbox/decide/saving.ts";
import type { AttemptEnd } from "../../sandbox/facts.ts";
import type { SessionFacts } from "../facts.ts";
import type { WorkspaceMark } from "../lifecycle.ts";
import { keepsWorkspace } from "../../sandbox/owner.ts";

/**
 * What a decision brings to the condition `WorkspaceSaved`: a try that failed, `end` of a sandbox with or without a save,
 * or a problem in spite of which the try goes on. Undefined: the condition stays as it is.
 */
export function savingMark(
  facts: SessionFacts,
  { sandbox, snapshot }: SessionStatus,
  events: { end: AttemptEnd | undefined; saveFailure: string | undefined },
): WorkspaceMark | undefined {
  if (sandbox?.readyTime === undefined || !keepsWorkspace(facts.session)) return undefined;
  const workspace = `the workspace of sandbox ${sandbox.attempt}`;
  if (events.end && snapshot?.attempt === sandbox.attempt) {
    return { status: "True", reason: reasons.workspaceSaved, message: `${workspace} was saved` };
  }
  const problem = problemOf(facts, sandbox, events);
  if (problem === undefined) return undefined;
  return { status: "False", reason: reasons.workspaceNotSaved, message: `${workspace} ${problem}` };
}

function problemOf(
  facts: SessionFacts,
  sandbox: Sandbox,
  { end, saveFailure }: Parameters<typeof savingMark>[2],
): string | undefined {
  const noted = snapshotNote(facts, sandbox)?.problem;
  if (end) return `was not saved: ${saveFailure ?? noted ?? end.message}`;
  if (saveFailure !== undefined) return `could not be saved, so it stays up: ${saveFailure}`;
  return noted === undefined ? undefined : `could not be saved yet: ${noted}`;
}
