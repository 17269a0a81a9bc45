import type { Automation, Run } from "../../api/v1alpha1/index.ts";
import type { Secret } from "../../kube/core-resources.ts";
import type { Refusal } from "../sandbox/refusal.ts";

/** What the Secret that an automation names for its key's hash holds. */
export type SourceHash =
  { state: "found"; hash: string } | { state: "missing" } | { state: "invalid"; message: string };

/** What one automation's plan decides on. */
export interface AutomationFacts {
  automation: Automation;
  /** Its Runs. */
  runs: readonly Run[];
  /** Its Secret in the keys namespace. */
  keySecret: Secret | undefined;
  /** What `keyHashSecretRef` gives; undefined without one. */
  source: SourceHash | undefined;
  /** Why sessions would not start with the secrets of their target. */
  secretsRefusal: Refusal | undefined;
}
