import { z } from "zod";
import { atomicOf, integer, SubdomainName, text, withRules } from "./schema.ts";

const LabelKey = z.string().min(1).max(317);
const LabelValue = text(63);

const Toleration = withRules(
  z.object({
    key: LabelKey.optional().describe("key is the taint's key, at most 317 characters; left out with Exists, any key."),
    operator: z.enum(["Exists", "Equal"]).describe("operator is Exists, or Equal to value."),
    value: LabelValue.optional().describe("value is the taint's value with operator Equal, at most 63 characters."),
    effect: z
      .enum(["NoSchedule", "PreferNoSchedule", "NoExecute"])
      .optional()
      .describe("effect is the taint's effect; left out, any effect."),
    tolerationSeconds: integer(0, 604_800)
      .optional()
      .describe("tolerationSeconds is how long a NoExecute taint is tolerated, 0 to 604,800; left out, for ever."),
  }),
  [
    {
      message: "must have a key with operator Equal",
      cel: "self.operator == 'Exists' || has(self.key)",
      check: ({ operator, key }) => operator === "Exists" || key !== undefined,
      fieldPath: ".key",
      reason: "FieldValueRequired",
    },
    {
      message: "must have no value with operator Exists",
      cel: "self.operator == 'Equal' || !has(self.value)",
      check: ({ operator, value }) => operator === "Equal" || value === undefined,
      fieldPath: ".value",
    },
    {
      message: "requires effect NoExecute",
      cel: "!has(self.tolerationSeconds) || (has(self.effect) && self.effect == 'NoExecute')",
      check: ({ tolerationSeconds, effect }) => tolerationSeconds === undefined || effect === "NoExecute",
      fieldPath: ".tolerationSeconds",
    },
  ],
);

const NodeSelectorRequirement = z.object({
  key: LabelKey.describe("key is the node label's key, at most 317 characters."),
  operator: z
    .enum(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"])
    .describe("operator is how the label is compared with values."),
  values: atomicOf(z.array(LabelValue).max(32))
    .optional()
    .describe("values are the values to compare the label with, at most 32; none with Exists and DoesNotExist."),
});

const NodeSelectorTerm = z.object({
  matchExpressions: atomicOf(z.array(NodeSelectorRequirement).min(1).max(16)).describe(
    "matchExpressions must all hold, 1 to 16.",
  ),
});

const PreferredTerm = z.object({
  weight: integer(1, 100).describe("weight of the preference, 1 to 100."),
  preference: NodeSelectorTerm.describe("preference is what a node should satisfy."),
});

const NodeAffinity = z.object({
  requiredDuringSchedulingIgnoredDuringExecution: z
    .object({
      nodeSelectorTerms: atomicOf(z.array(NodeSelectorTerm).min(1).max(8)).describe(
        "nodeSelectorTerms are 1 to 8 terms of which a node must satisfy one.",
      ),
    })
    .optional()
    .describe("requiredDuringSchedulingIgnoredDuringExecution is what a node must satisfy."),
  preferredDuringSchedulingIgnoredDuringExecution: atomicOf(z.array(PreferredTerm).max(8))
    .optional()
    .describe("preferredDuringSchedulingIgnoredDuringExecution are preferences among nodes, at most 8."),
});

const TopologySpreadConstraint = z.object({
  maxSkew: integer(1, 1_000).describe("maxSkew is how unevenly sandboxes may be spread, 1 to 1,000."),
  topologyKey: LabelKey.describe(
    "topologyKey is the node label over whose values sandboxes are spread, at most 317 characters.",
  ),
  whenUnsatisfiable: z
    .enum(["DoNotSchedule", "ScheduleAnyway"])
    .describe("whenUnsatisfiable is DoNotSchedule to let a sandbox wait, ScheduleAnyway to start it."),
});

/** Scheduling of a class's pods; the fields have the meaning that they have in a pod's spec. */
export const scheduling = {
  priorityClassName: SubdomainName.optional().describe(
    "priorityClassName is the pod's PriorityClass, at most 253 characters.",
  ),
  tolerations: atomicOf(z.array(Toleration).max(16))
    .optional()
    .describe("tolerations are the pod's tolerations, at most 16."),
  affinity: z
    .object({
      nodeAffinity: NodeAffinity.optional().describe(
        "nodeAffinity selects the nodes that a pod must or should run on.",
      ),
    })
    .optional()
    .describe("affinity is the pod's node affinity; topologySpreadConstraints keep sandboxes apart."),
  topologySpreadConstraints: atomicOf(z.array(TopologySpreadConstraint).max(8))
    .optional()
    .describe("topologySpreadConstraints spread the class's sandboxes over nodes or zones, at most 8."),
};
