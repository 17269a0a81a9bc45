import type { Rule } from "./rules.ts";

/** A namespace of the release's own. */
export type OwnNamespace = "release" | "keys" | "sessions" | "tokens";

/** Facts of one release that rules compare with. */
export interface WriteScope {
  release: { name: string; namespace: string };
}

/**
 * What one of our processes may write of one resource by one operation. Members of `metadata` that have no rule may not be
 * set at a creation and not be changed by an update, and the same is true of all other members of the object.
 */
export interface Write {
  /** Ends the policy's name. */
  name: string;
  operation: "CREATE" | "UPDATE";
  /** Left out: our own. */
  apiGroup?: string;
  /** Of the group; left out: our own. */
  version?: string;
  /** Plural; a subresource as `runs/status`. */
  resource: string;
  /** The one namespace in which this holds; left out: all. */
  namespace?: OwnNamespace;
  metadata?: Partial<Record<"name" | MetadataField, Rule>>;
  /** Of the object's other members. */
  fields: Readonly<Record<string, Rule>>;
  /** Rules about several places at once. */
  also?: readonly { expression: string; message: string }[];
}

/** What of an object's metadata a writer chooses, beside its name. */
export const metadataFields = ["labels", "annotations", "ownerReferences", "finalizers"] as const;
export type MetadataField = (typeof metadataFields)[number];
