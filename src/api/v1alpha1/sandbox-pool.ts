import { z } from "zod";
import { observed } from "./conditions.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { prebuildFields } from "./prebuilt-image.ts";
import { atomicOf, integer, LabelName, text, Time } from "./schema.ts";

/** Warm sandboxes of one pool at most. */
export const mostMembers = 200;

export const SandboxPoolSpec = z
  .object({
    sandboxClassName: LabelName.describe(
      "sandboxClassName names the SandboxClass whose sandboxes wait, at most 63 characters. Its maxWarmSandboxes bounds those of all pools.",
    ),
    serviceAccountName: prebuildFields.serviceAccountName.describe(
      "serviceAccountName is the ServiceAccount of the pods; sessions under another one do not use the pool. It must not be default, and the author must be allowed to impersonate it unless it is runwright-sandbox. At most 253 characters. Defaults to runwright-sandbox.",
    ),
    replicas: integer(0, mostMembers).describe(
      `replicas is how many sandboxes are to wait, 0 to ${mostMembers}; kubectl scale and autoscalers change it.`,
    ),
  })
  .describe("SandboxPoolSpec is the wanted state.");
export type SandboxPoolSpec = z.infer<typeof SandboxPoolSpec>;

const PoolMember = z
  .object({
    number: integer(1, 1_000_000_000).describe("number counts the pool's sandboxes; the pod's name ends with it."),
    podName: text(63).describe("podName is the pod that waits, in the namespace of the pool."),
    podUID: text(64)
      .optional()
      .describe("podUID is the pod's UID, known once it was created; only pods that are named here are handed over."),
    revision: text(64).describe(
      "revision is a hash of all in the pod that cannot change; a pod of another revision than the current one is replaced.",
    ),
  })
  .describe("PoolMember is a sandbox that waits, or that is being created.");
export type PoolMember = z.infer<typeof PoolMember>;

export const SandboxPoolStatus = z
  .object({
    ...observed,
    replicas: integer(0, mostMembers).optional().describe("replicas is how many sandboxes wait or are being created."),
    readyReplicas: integer(0, mostMembers)
      .optional()
      .describe("readyReplicas is how many wait for a session; those that were taken count until they are replaced."),
    selector: text(256).optional().describe("selector selects the pods that wait, for autoscalers."),
    revision: text(64).optional().describe("revision is that of the pods that are created now."),
    lastNumber: integer(0, 1_000_000_000)
      .optional()
      .describe("lastNumber is the number of the last sandbox that was created."),
    lastClaimTime: Time.optional().describe(
      "lastClaimTime is when sandboxes that sessions took were last replaced, at most 5 seconds after the first was taken.",
    ),
    members: atomicOf(z.array(PoolMember).max(mostMembers))
      .optional()
      .describe(
        `members are the sandboxes that wait or are being created, at most ${mostMembers}; each is written before its pod is created.`,
      ),
  })
  .describe("SandboxPoolStatus is what was observed.");
export type SandboxPoolStatus = z.infer<typeof SandboxPoolStatus>;

export const SandboxPool = defineKind({
  kind: "SandboxPool",
  plural: "sandboxpools",
  shortNames: ["rwpool"],
  namespaced: true,
  description: "SandboxPool keeps sandboxes waiting, so that sessions begin without the start of a pod.",
  spec: SandboxPoolSpec,
  status: SandboxPoolStatus,
  scale: { wanted: ".spec.replicas", observed: ".status.replicas", selector: ".status.selector" },
  columns: [
    column("Class", ".spec.sandboxClassName", "The SandboxClass."),
    column("Wanted", ".spec.replicas", "How many sandboxes are to wait.", { type: "integer" }),
    column("Waiting", ".status.readyReplicas", "How many sandboxes wait for a session.", { type: "integer" }),
    column("Last-Claim", ".status.lastClaimTime", "When a session last took a sandbox.", { type: "date" }),
    conditionColumn("Ready", "Ready", "status"),
    conditionColumn("Reason", "Ready", "reason"),
    ageColumn,
    conditionColumn("Message", "Ready", "message"),
  ],
});
export type SandboxPool = ObjectOf<typeof SandboxPoolSpec, typeof SandboxPoolStatus>;
