import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import type { ObservedLease } from "../../sandbox/facts.ts";
import type { SessionFacts } from "../facts.ts";
import type { WorkspaceMark } from "../lifecycle.ts";

/** The status with the prebuilt image marked once it is known to be lost: the sandbox goes on with a fresh workspace. */
export function foldImage({ lease }: SessionFacts, status: SessionStatus): SessionStatus {
  const { prebuiltImage } = status;
  const { of, problem, image } = lease?.restore ?? {};
  if (!image || problem === undefined || prebuiltImage?.build !== of || prebuiltImage?.reason !== "Used") return status;
  return prebuiltImage.problem === undefined ? { ...status, prebuiltImage: { ...prebuiltImage, problem } } : status;
}

/** What a sandbox that is ready brings to the condition `PrebuiltImageUpdated`; undefined: it stays as it is. */
export function updateMark(
  { lease }: SessionFacts,
  { sandbox, prebuiltImage }: SessionStatus,
): WorkspaceMark | undefined {
  if (!lease?.isReady || sandbox?.readyTime === undefined || !hasRestored(lease)) return undefined;
  const build = `build ${prebuiltImage?.build ?? ""}`;
  const { notUpdated = [] } = lease;
  if (notUpdated.length === 0) {
    return { status: "True", reason: reasons.updated, message: `${build} was updated to its branches` };
  }
  const message = `Repository ${notUpdated.join(", ")} stayed at the commit of ${build}`;
  return { status: "False", reason: reasons.updateFailed, message };
}

function hasRestored({ restore }: ObservedLease): boolean {
  return restore?.image === true && restore.problem === undefined;
}
