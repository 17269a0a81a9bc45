import type { PassedOver } from "../../../api/runtime/bundle.ts";
import { conditionTypes } from "../../../api/v1alpha1/names.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import { findCondition, type Mark, type MarkedAt, withMarks, withoutConditions } from "../../../domain/conditions.ts";
import { cutCharacters } from "../../../lib/characters.ts";
import type { ObservedLease } from "../../sandbox/facts.ts";
import type { SessionFacts } from "../facts.ts";

const type = conditionTypes.hooksPassedOver;
/** Characters of the condition's message. */
const longestMessage = 1_024;
const wentOn = "; the session went on";

/**
 * The status with a warning of hooks that failed while a sandbox that is ready booted; without them there is none. A workspace
 * that was restored still lacks what its setup.sh did not do.
 */
export function markPassedOver({ lease }: SessionFacts, status: SessionStatus, at: MarkedAt): SessionStatus {
  if (!lease?.isReady || status.sandbox?.readyTime === undefined || stillLacksSetup(lease, status)) return status;
  const { passedOver = [] } = lease;
  const { conditions } = status;
  if (passedOver.length === 0) return { ...status, conditions: conditions && withoutConditions(conditions, [type]) };
  return { ...status, conditions: withMarks(conditions, [markOf(passedOver)], at) };
}

function stillLacksSetup({ restore }: ObservedLease, { conditions }: SessionStatus): boolean {
  const isRestored = restore !== undefined && restore.problem === undefined && !restore.image;
  return isRestored && findCondition(conditions, type)?.reason === reasons.setupFailed;
}

function markOf(passedOver: PassedOver): Mark {
  const reason = passedOver.some(({ hook }) => hook === "setup") ? reasons.setupFailed : reasons.hookFailed;
  const failures = passedOver.map(({ message }) => message).join("; ");
  const message = `${cutCharacters(failures, longestMessage - wentOn.length)}${wentOn}`;
  return { type, status: "True", reason, message };
}
