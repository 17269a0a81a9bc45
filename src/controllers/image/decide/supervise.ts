import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { PrebuiltImageStatus } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { ImageCommit } from "../../../api/v1alpha1/session.ts";
import type { ClockLimits } from "../../../domain/clocks/limits.ts";
import type { AttemptEnd } from "../../sandbox/facts.ts";
import type { ImageFacts } from "../facts.ts";
import { inputsDigest, failuresAhead } from "./backoff.ts";
import { isBundleDue } from "./bundle.ts";
import { isEnabled } from "./due.ts";
import { type Building, endBuild, failBuild, finished, type JudgedBuild } from "./ending.ts";
import { failureOf } from "./failure.ts";
import { bundledMac, withReports } from "./reports.ts";
import { inputsChange, judgeStored, supersede } from "./storing.ts";

/**
 * A build by these facts:
 *
 * ```
 *   Checking ── the branches are as they were ──▶ over, nothing changed
 *   Checking, Building ── clone and setup.sh have ended ──▶ Saving
 *   Saving   ── the archive is stored, and what it was built from is as it was ──▶ image, over
 *   any      ── that has changed, the image is suspended ──▶ over, superseded
 *            ── a failure, a clock, a lost sandbox ──▶ over, failed
 * ```
 */
export function superviseBuild(facts: ImageFacts, stored: Building, now: Date, limits: ClockLimits): JudgedBuild {
  const status = withReports(facts, stored);
  const change = useless(facts, status);
  if (change) return supersede(facts, status, change, now);
  const failure = failureOf(facts, status, now, limits);
  if (failure) return fail(facts, status, failure, now);
  const built = facts.lease?.built;
  if (!built) return { status };
  if (built.result === "Unchanged") return { status: unchanged(facts, status, now) };
  if (status.build.step === "Saving") return judgeStored(facts, status, now);
  const sandbox = { ...status.sandbox, snapshotTime: now.toISOString(), snapshotTry: 1 };
  return { status: { ...status, sandbox, build: { ...status.build, step: "Saving" } } };
}

function useless(facts: ImageFacts, status: Building): { reason: string; message: string } | undefined {
  if (!isEnabled(facts)) return { reason: reasons.suspended, message: "the image is not to be built any more" };
  // It is not to clone one thing under the name of another.
  return facts.live && isBundleDue(facts) ? inputsChange(status, facts.live) : undefined;
}

function fail(facts: ImageFacts, status: Building, end: AttemptEnd, now: Date): JudgedBuild {
  const failure = { end, secretsMAC: bundledMac(facts, status), commits: failedCommits(facts, status) };
  const failed = failBuild(facts.image, status, failure, now);
  const note = `Build ${status.build.number} failed: ${end.message}`;
  return { status: failed, event: { type: "Warning", reason: end.reason, note } };
}

/** The commits that were being built, as far as they are known. A check that had found no others was at those that failed before. */
function failedCommits({ lease }: ImageFacts, { build, failures }: Building): readonly ImageCommit[] | undefined {
  const { bootFailure, built, buildCommits } = lease ?? {};
  const isCheck = build.step === "Checking" && failures?.inputs === inputsDigest(build);
  const known = [bootFailure?.commits, built?.commits, buildCommits, isCheck ? failures.commits : undefined];
  return known.find((commits) => commits !== undefined && commits.length > 0);
}

/** Failures with the same commits stay; where those of the image are there again, they are over. */
function unchanged(facts: ImageFacts, status: Building, now: Date): PrebuiltImageStatus {
  const ended = endBuild(facts.image, status, finished("there are no new commits"), now);
  const asked = { inputs: inputsDigest(status.build), secretsMAC: undefined };
  return failuresAhead(ended.failures, asked, now) ? ended : { ...ended, failures: undefined };
}
