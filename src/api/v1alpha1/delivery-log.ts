import { z } from "zod";
import { ageColumn, column, defineKind, type ObjectOf } from "./kind.ts";
import { integer, mapOf, text, Time } from "./schema.ts";

/** Limits of a DeliveryLog; the oldest entries are dropped first. */
export const deliveryLogLimits = {
  deliveries: 100,
  /** Of one body; a larger one is not kept. */
  bodyBytes: 8_192,
  /** Of all bodies of a log. */
  bodiesBytes: 32_768,
  messageCharacters: 1_024,
  /** More than the ingress has replicas, so that replicas of an upgrade and restarts fit in. */
  writers: 32,
} as const;

/** Decisions about deliveries whose key matched. */
export const deliveryDecisions = [
  "Started",
  "Duplicate",
  "Filtered",
  "Paused",
  "RateLimited",
  "InvalidPayload",
  "TooManyUnfinishedRuns",
  "Throttled",
  "Unavailable",
] as const;
export type DeliveryDecision = (typeof deliveryDecisions)[number];

/** Why requests were refused before a key had matched. */
export const refusalReasons = [
  "MethodNotAllowed",
  "UnsupportedMediaType",
  "PayloadTooLarge",
  "MissingKey",
  "WrongKey",
  "Unavailable",
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

export const LoggedDelivery = z
  .object({
    id: z.string().min(1).max(64).describe("id is the delivery's id, as in the header Runwright-Delivery-Id."),
    time: Time.describe("time is when the request arrived."),
    decision: z.enum(deliveryDecisions).describe("decision is how the delivery was handled."),
    message: text(deliveryLogLimits.messageCharacters).describe(
      "message explains the decision, such as the filter that did not match or the limit; at most 1,024 characters.",
    ),
    httpStatus: integer(100, 599).describe("httpStatus is the HTTP status of the answer to the sender."),
    runName: text(63)
      .optional()
      .describe("runName is the Run that the delivery started, or that it is a duplicate of."),
    bodyBytes: integer(0, 65_536).describe("bodyBytes is the size of the body, in bytes."),
    body: text(deliveryLogLimits.bodyBytes)
      .optional()
      .describe(
        "body is the delivery's body, kept for decisions Filtered and Paused only: at most 8,192 bytes each and 32,768 in all, the oldest dropped first. The Run holds the body of a delivery that started it.",
      ),
    bodyOmission: z
      .enum(["TooLarge", "MadeRoom"])
      .optional()
      .describe(
        "bodyOmission is why the body is not kept: TooLarge for more than 8,192 bytes, MadeRoom when it was dropped for newer ones.",
      ),
  })
  .describe("LoggedDelivery is one delivery whose key matched.");
export type LoggedDelivery = z.infer<typeof LoggedDelivery>;

export const RefusalCount = z
  .object({
    reason: z.enum(refusalReasons).describe("reason is why the requests were refused."),
    count: integer(1).describe("count is the number of such requests since the log was created."),
    lastTime: Time.describe("lastTime is when the last one arrived."),
  })
  .describe("RefusalCount counts requests that were refused before a key had matched.");
export type RefusalCount = z.infer<typeof RefusalCount>;

export const LogWriter = z
  .object({
    id: z.string().min(1).max(64).describe("id is that of one process of the ingress; a restart has another."),
    sequence: integer(1).describe("sequence is the number of the last counts of this process that are in refusals."),
  })
  .describe("LogWriter says which counts of one process of the ingress are in refusals already.");
export type LogWriter = z.infer<typeof LogWriter>;

export const DeliveryLogSpec = z
  .object({
    deliveries: mapOf(z.array(LoggedDelivery).max(deliveryLogLimits.deliveries), "id")
      .optional()
      .describe("deliveries are the last deliveries whose key matched, newest first, at most 100."),
    refusals: mapOf(z.array(RefusalCount).max(refusalReasons.length), "reason")
      .optional()
      .describe("refusals count requests without the Automation's key; nothing else of such a request is recorded."),
    writers: mapOf(z.array(LogWriter).max(deliveryLogLimits.writers), "id")
      .optional()
      .describe(
        "writers are the processes of the ingress that counted refusals, the last one first, at most 32. Where the answer to a write is lost, its counts are not added again.",
      ),
  })
  .describe("DeliveryLogSpec is what was recorded.");
export type DeliveryLogSpec = z.infer<typeof DeliveryLogSpec>;

const last = ".spec.deliveries[0]";

export const DeliveryLog = defineKind({
  kind: "DeliveryLog",
  plural: "deliverylogs",
  shortNames: ["rwdlog"],
  namespaced: true,
  description:
    "DeliveryLog lists the last deliveries to the Automation of the same name and the decision about each. The ingress writes it; as a record, it has a spec and no status.",
  spec: DeliveryLogSpec,
  columns: [
    column("Last", `${last}.time`, "The time of the last delivery.", { type: "date" }),
    column("Decision", `${last}.decision`, "The decision of the last delivery."),
    column("Run", `${last}.runName`, "The runName of the last delivery."),
    ageColumn,
    column("Message", `${last}.message`, "The message of the last delivery.", { priority: 1 }),
  ],
});
export type DeliveryLog = ObjectOf<typeof DeliveryLogSpec>;
