import type { BootFailure } from "../../api/runtime/bundle.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { plainText } from "../../api/runtime/text.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";

const reasonOf = {
  clone: reasons.cloneFailed,
  setup: reasons.hookFailed,
  start: reasons.hookFailed,
  skills: reasons.skillsNotInstalled,
  agent: reasons.agentNotStarted,
} as const satisfies Record<BootFailure["phase"], string>;

/** A boot failure for a condition: with the reason of its phase, not the one from the sandbox. */
export function storableFailure({ phase, message }: BootFailure): BootFailure {
  return { phase, reason: reasonOf[phase], message: plainText(message, protocolLimits.messageCharacters / 2) };
}
