import type { BootFailure } from "../../api/runtime/bundle.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { plainText } from "../../api/runtime/text.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";

const reasonOf = {
  clone: reasons.cloneFailed,
  setup: reasons.hookFailed,
  start: reasons.hookFailed,
  agent: reasons.agentNotStarted,
} as const satisfies Record<BootFailure["phase"], string>;

/** A boot failure as it may become a condition: the reason by the phase, whatever the sandbox calls it. */
export function storableFailure({ phase, message }: BootFailure): BootFailure {
  return { phase, reason: reasonOf[phase], message: plainText(message, protocolLimits.messageCharacters / 2) };
}
