import { type BootFailure, passedOverCharacters } from "../../api/runtime/bundle.ts";
import type { NumberedMessage } from "../../api/runtime/messages.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { plainText } from "../../api/runtime/text.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { GoneWithout } from "./held-lease.ts";

const reasonOf = {
  clone: reasons.cloneFailed,
  setup: reasons.hookFailed,
  start: reasons.hookFailed,
  skills: reasons.skillsNotInstalled,
  agent: reasons.agentNotStarted,
} as const satisfies Record<BootFailure["phase"], string>;

/** A boot failure for a condition: with the reason of its phase, or that the time for it has passed, not any word of the sandbox. */
export function storableFailure({ phase, reason, message, commits }: BootFailure): BootFailure {
  return {
    phase,
    reason: reason === reasons.buildTimeout ? reason : reasonOf[phase],
    message: plainText(message, protocolLimits.messageCharacters / 2),
    ...(commits && { commits }),
  };
}

/** What a boot went on without, for a condition. */
export function storableGoneWithout({
  notUpdated,
  passedOver,
}: Extract<NumberedMessage, { type: "ready" }>): GoneWithout {
  const shown = passedOver?.map(({ hook, message }) => ({ hook, message: plainText(message, passedOverCharacters) }));
  return { notUpdated, passedOver: shown };
}
