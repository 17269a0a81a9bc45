import {
  deliveryLogLimits,
  type DeliveryDecision,
  type LoggedDelivery,
  type RefusalReason,
} from "../../api/v1alpha1/index.ts";
import { firstCharacters } from "../../lib/characters.ts";
import type { Accepted, Verdict } from "../../domain/deliveries/receipt.ts";
import { Refusal, type RefusalCode } from "../../domain/deliveries/refusal.ts";

const decisionOfVerdict = {
  triggered: "Started",
  skipped: "Duplicate",
  unmatched: "Filtered",
  paused: "Paused",
} as const satisfies Record<Verdict, DeliveryDecision>;

/** Decisions for refusals after the key has matched; the others come before that, or from a terminating namespace. */
const decisionOfRefusal: Partial<Record<RefusalCode, DeliveryDecision>> = {
  RateLimited: "RateLimited",
  InvalidPayload: "InvalidPayload",
  TooManyUnfinishedRuns: "TooManyUnfinishedRuns",
  Throttled: "Throttled",
  Unavailable: "Unavailable",
};

/** Refusals before the key has matched that are counted for an automation. */
const countedRefusals: Partial<Record<RefusalCode, RefusalReason>> = {
  MethodNotAllowed: "MethodNotAllowed",
  UnsupportedMediaType: "UnsupportedMediaType",
  PayloadTooLarge: "PayloadTooLarge",
  MissingKey: "MissingKey",
  WrongKey: "WrongKey",
  Unavailable: "Unavailable",
};

/** A delivery after its answer. */
export interface AnsweredDelivery {
  id: string;
  receivedAt: Date;
  bodyBytes: number;
  /** The body as text; absent where the delivery was refused. */
  payload: string | undefined;
  outcome: Accepted | Refusal;
  httpStatus: number;
}

/**
 * The log entry of a delivery whose key matched; undefined while its namespace is terminating. It keeps the bodies of
 * accepted deliveries that started no Run, because nothing else does.
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

/** The reason under which a request without the automation's key is counted; undefined where it is not counted. */
export function countedRefusal({ code }: Refusal): RefusalReason | undefined {
  return countedRefusals[code];
}

function messageOf(outcome: Accepted | Refusal): string {
  if (!(outcome instanceof Refusal) || outcome.why === undefined) return outcome.message;
  return `${outcome.message} (${outcome.why})`;
}

function keptBody(body: string): Pick<LoggedDelivery, "body" | "bodyOmission"> {
  return Buffer.byteLength(body) <= deliveryLogLimits.bodyBytes ? { body } : { bodyOmission: "TooLarge" };
}
