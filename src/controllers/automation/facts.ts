import type { Automation, Run, Session } from "../../api/v1alpha1/index.ts";
import type { Secret } from "../../kube/core-resources.ts";
import type { Refusal } from "../sandbox/refusal.ts";
import type { TriggeringIntegration } from "./observe/integration.ts";
import type { Schedule } from "./slots/schedule.ts";

/** Everything that was observed for one automation. */
export interface AutomationFacts {
  automation: Automation;
  /** All Runs of the automation. */
  runs: readonly Run[];
  /** UIDs of Runs that are there and that the cache lacks; looked for where the automation's status names one as counted. */
  uncachedRuns?: readonly string[] | undefined;
  /** Sessions of the Runs that history may empty, by UID of the Run. */
  sessions: ReadonlyMap<string, readonly Session[]>;
  /** UIDs of Runs that have ended and that the archive does not have yet; none without an archive. */
  unstored: ReadonlySet<string>;
  /** UIDs of Runs that have ended and whose sessions, or those that agents have started in them, are at work. */
  busy: ReadonlySet<string>;
  schedule: Schedule;
  /** The stored Run that has the name of the due slot's Run. */
  slotRun: Run | undefined;
  /** The Secret in the keys namespace that the ingress compares keys with. */
  keySecret: Secret | undefined;
  /** What `keyHashSecretRef` or `authentication.hmac.secretRef` refers to; undefined without one. */
  source: SourceKey | undefined;
  /** Why sessions would not start with the secrets of their target. */
  secretsRefusal: Refusal | undefined;
  /** The Integration whose events fire it; undefined for triggers without one. */
  integration: TriggeringIntegration | undefined;
  /** Milliseconds for which a change of activity alone may still wait to be written. */
  activityMayWaitMs: number;
}

/** Contents of the Secret that an automation names for its key's hash or its signing secret, and the data key of the copy. */
export type SourceKey =
  { state: "found"; dataKey: string; value: string } | { state: "missing" } | { state: "invalid"; message: string };
