import { type Reason, reasons } from "../../../api/v1alpha1/reasons.ts";
import type { EndedBuild, PrebuiltImage, PrebuiltImageStatus } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { ImageCommit } from "../../../api/v1alpha1/session.ts";
import { ended } from "../../sandbox/decide.ts";
import type { AttemptEnd } from "../../sandbox/facts.ts";
import { inputsDigest, withFailure } from "./backoff.ts";
import { countedRequest } from "./request.ts";
import { nextSlotMs } from "./slots.ts";

/** A status with a build that goes on. */
export type Building = Omit<PrebuiltImageStatus, "build" | "sandbox"> & {
  build: NonNullable<PrebuiltImageStatus["build"]>;
  sandbox: NonNullable<PrebuiltImageStatus["sandbox"]>;
};

/** What is to be stored of a build, and what of it is worth an Event. */
export interface JudgedBuild {
  status: PrebuiltImageStatus;
  event?: { type: "Normal" | "Warning"; reason: Reason; note: string } | undefined;
}

const mostBuilds = 10;

/** The history with one more build. */
export function withEnded(builds: readonly EndedBuild[] | undefined, ended: EndedBuild): EndedBuild[] {
  return [ended, ...(builds ?? []).filter(({ number }) => number !== ended.number)].slice(0, mostBuilds);
}

/** The status once its pod is of no more use. */
export function endBuild(
  { metadata }: Pick<PrebuiltImage, "metadata">,
  status: Building,
  end: AttemptEnd,
  now: Date,
): PrebuiltImageStatus {
  const { sandbox } = status;
  return {
    ...status,
    build: undefined,
    sandbox: ended(sandbox, end, now),
    nextCheckTime: new Date(nextSlotMs(metadata.uid ?? "", now.getTime())).toISOString(),
  };
}

function endedAs({ build, sandbox }: Building, result: EndedBuild["result"], reason: string, now: Date): EndedBuild {
  return { number: build.number, result, reason, startTime: sandbox.createTime, endTime: now.toISOString() };
}

/**
 * The status once its build has failed; an image that serves goes on to. It answers a request that came during the build, unless
 * that was a check, which may have built nothing.
 */
export function failBuild(
  image: Pick<PrebuiltImage, "metadata">,
  status: Building,
  failure: { end: AttemptEnd; secretsMAC: string | undefined; commits: readonly ImageCommit[] | undefined },
  now: Date,
): PrebuiltImageStatus {
  const { end, secretsMAC, commits } = failure;
  const inputs = inputsDigest(status.build);
  const failures = withFailure(status.failures, { ...end, inputs, secretsMAC, commits }, now);
  const builds = withEnded(status.builds, endedAs(status, "Failed", end.reason, now));
  const answered = status.build.step === "Checking" ? {} : countedRequest(image);
  return { ...endBuild(image, status, end, now), ...answered, failures, builds };
}

/**
 * The status once its build has proved useless, as what it was built from has changed; another one follows at once. It answers no
 * request, nor the one that it was started for.
 */
export function supersedeBuild(
  image: Pick<PrebuiltImage, "metadata">,
  status: Building,
  { reason, message }: { reason: string; message: string },
  now: Date,
): PrebuiltImageStatus {
  const builds = withEnded(status.builds, endedAs(status, "Superseded", reason, now));
  const rebuildRequestedAt = status.build.reason === "RebuildRequested" ? undefined : status.rebuildRequestedAt;
  const over = endBuild(image, status, finished(message), now);
  return { ...over, rebuildRequestedAt, builds, nextCheckTime: now.toISOString() };
}

/** What a sandbox ends for where nothing went wrong. */
export function finished(message: string): AttemptEnd {
  return { reason: reasons.stopped, message };
}

/** The status once its image is stored and checked, which answers a request that came during the build. */
export function completeBuild(
  image: Pick<PrebuiltImage, "metadata">,
  status: Building,
  built: NonNullable<PrebuiltImageStatus["image"]>,
  now: Date,
): PrebuiltImageStatus {
  const before = status.image;
  const previous = before && { build: before.build, archive: before.archive, supersededTime: now.toISOString() };
  const ended = endBuild(image, status, finished("the image is stored"), now);
  const builds = withEnded(status.builds, endedAs(status, "Ready", status.build.reason, now));
  return {
    ...ended,
    ...countedRequest(image),
    failures: undefined,
    image: built,
    previous: previous ?? ended.previous,
    builds,
  };
}
