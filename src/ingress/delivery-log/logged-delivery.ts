import {
  deliveryLogLimits,
  type DeliveryDecision,
  type LoggedDelivery,
  type RefusalReason,
} from "../../api/v1alpha1/index.ts";
import { firstCharacters } from "../../lib/characters.ts";
import type { Taken, Verdict } from "../../domain/deliveries/receipt.ts";
import { Refusal, type RefusalCode } from "../../domain/deliveries/refusal.ts";

const decisionOfVerdict = {
  triggered: "Started",
  skipped: "Duplicate",
  unmatched: "Filtered",
  paused: "Paused",
} as const satisfies Record<Verdict, DeliveryDecision>;

/** Refusals after the key has matched; of those that are not there, nobody has the key or the namespace is going. */
const decisionOfRefusal: Partial<Record<RefusalCode, DeliveryDecision>> = {
  RateLimited: "RateLimited",
  InvalidPayload: "InvalidPayload",
  TooManyUnfinishedRuns: "TooManyUnfinishedRuns",
  Throttled: "Throttled",
  Unavailable: "Unavailable",
};

/** Refusals before the key has matched that can be counted for one automation. */
const countedRefusals: Partial<Record<RefusalCode, RefusalReason>> = {
  MethodNotAllowed: "MethodNotAllowed",
  UnsupportedMediaType: "UnsupportedMediaType",
  PayloadTooLarge: "PayloadTooLarge",
  MissingKey: "MissingKey",
  WrongKey: "WrongKey",
  Unavailable: "Unavailable",
};

/** What there is to say of a delivery once it was answered. */
export interface AnsweredDelivery {
  id: string;
  receivedAt: Date;
  bodyBytes: number;
  /** The body as text, where it was read as such. */
  payload: string | undefined;
  outcome: Taken | Refusal;
  httpStatus: number;
}

/**
 * The entry of a delivery whose key matched; undefined where its namespace is going away. The bodies that nothing else
 * keeps are in it: of those that were taken and started nothing.
 */
export function loggedDelivery(answered: AnsweredDelivery): LoggedDelivery | undefined {
  const { id, receivedAt, bodyBytes, outcome, httpStatus } = answered;
  const decision = outcome instanceof Refusal ? decisionOfRefusal[outcome.code] : decisionOfVerdict[outcome.verdict];
  if (!decision) return undefined;
  return {
    id,
    time: receivedAt.toISOString(),
    decision,
    message: firstCharacters(messageOf(outcome), deliveryLogLimits.messageCharacters),
    httpStatus,
    runName: outcome instanceof Refusal ? undefined : outcome.runName,
    bodyBytes,
    ...(decision === "Filtered" || decision === "Paused" ? keptBody(answered.payload ?? "") : {}),
  };
}

/** Under which reason a request without the automation's key is counted; undefined where there is no automation. */
export function countedRefusal({ code }: Refusal): RefusalReason | undefined {
  return countedRefusals[code];
}

function messageOf(outcome: Taken | Refusal): string {
  if (!(outcome instanceof Refusal) || outcome.why === undefined) return outcome.message;
  return `${outcome.message} (${outcome.why})`;
}

function keptBody(body: string): Pick<LoggedDelivery, "body" | "bodyOmission"> {
  return Buffer.byteLength(body) <= deliveryLogLimits.bodyBytes ? { body } : { bodyOmission: "TooLarge" };
}
