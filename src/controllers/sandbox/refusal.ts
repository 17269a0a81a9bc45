import { type ReasonMeaning, reasonMeanings } from "../../api/v1alpha1/reason-meanings.ts";
import type { Reason } from "../../api/v1alpha1/reasons.ts";

/** Why a session's sandbox cannot be started until a person changes something. */
export interface Refusal {
  reason: Reason;
  /** For people; names what is missing or forbidden, holds no secret. */
  message: string;
}

/** Either what was asked for, or why not. */
export type Checked<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

export function checked<T>(value: T): Checked<T> {
  return { ok: true, value };
}

/** `message` says what is missing or forbidden, without a final stop; what to do about it is added. */
export function refused(reason: Reason, message: string): { ok: false; refusal: Refusal } {
  const { remedy }: ReasonMeaning = reasonMeanings[reason];
  return { ok: false, refusal: { reason, message: remedy === undefined ? message : `${message}. ${remedy}` } };
}
