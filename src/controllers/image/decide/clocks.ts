import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { CurrentBuild } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import { type Deadline, deadlineAfter } from "../../../domain/clocks/deadline.ts";
import { connectDeadline } from "../../../domain/clocks/session-clocks.ts";
import { builtInOrigin, type EffectiveSettings, originOf } from "../../../domain/settings/effective.ts";
import type { AttemptRecord } from "../../sandbox/owner.ts";

/** What storing has beside the time for clone and setup.sh, in seconds: 10 minutes. */
export const finalizationSeconds = 600;

const mostSeconds = 3_600;

/**
 * The time for clone and setup.sh in seconds: what is set, but 600 s less than the class's longest lifetime, where it has
 * one; undefined where that leaves nothing.
 */
export function buildTimeoutSeconds(setSeconds: number, maxSandboxTimeoutMs: number | undefined): number | undefined {
  const left = Math.floor((maxSandboxTimeoutMs ?? Infinity) / 1_000) - finalizationSeconds;
  const seconds = Math.min(setSeconds, mostSeconds, left);
  return seconds >= 1 ? seconds : undefined;
}

/** A sentence where the class leaves a build less time than was set; the built-in time is reduced silently. */
export function boundedBuildTime(
  { settings, origins }: Pick<EffectiveSettings, "settings" | "origins">,
  { metadata, spec }: Pick<SandboxClass, "metadata" | "spec">,
): string[] {
  const { buildTimeoutSeconds: set } = settings;
  const { maxSandboxTimeoutMs } = spec;
  const origin = originOf(origins, "buildTimeoutSeconds");
  const counts = buildTimeoutSeconds(set, maxSandboxTimeoutMs);
  if (origin === builtInOrigin || counts === undefined || counts >= set) return [];
  const bound = `maxSandboxTimeoutMs ${String(maxSandboxTimeoutMs)} (SandboxClass/${metadata.name ?? ""})`;
  return [
    `buildTimeoutSeconds ${set} (${origin}) is above ${bound} less ${finalizationSeconds} s for storing the image, so ${counts} counts`,
  ];
}

interface BuildClockFacts {
  build: Pick<CurrentBuild, "step" | "timeoutSeconds">;
  record: AttemptRecord;
  /** The runtime has connected. */
  connected: boolean;
  connectHeldUntilMs: number | undefined;
  /** Boot budget in milliseconds. */
  bootTimeoutMs: number;
}

/**
 * The clocks of a build beside the heartbeat. The runtime itself ends clone and setup.sh at their time; what it did not
 * report is ended by the last clock, which leaves it the time to store.
 */
export function buildDeadlines(facts: BuildClockFacts): Deadline[] {
  const { record, build, bootTimeoutMs } = facts;
  const { containerStartTime, createTime } = record;
  if (containerStartTime === undefined) return [deadlineAfter(createTime, bootTimeoutMs, reasons.bootTimeout)];
  const connect = connectDeadline({ ...facts, sandbox: record });
  const lastMs = (build.timeoutSeconds + finalizationSeconds) * 1_000;
  const reason = build.step === "Saving" ? reasons.finalizationTimeout : reasons.buildTimeout;
  return [...(connect ? [connect] : []), deadlineAfter(containerStartTime, lastMs, reason)];
}
