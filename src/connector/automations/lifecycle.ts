import {
  type Automation,
  conditionTypes,
  type IntegrationEvent,
  type IntegrationEventStatus,
  type Reason,
} from "../../api/v1alpha1/index.ts";
import { withMarks } from "../../domain/conditions.ts";
import { firstCharacters } from "../../lib/characters.ts";
import type { ProviderError } from "../provider-error.ts";

/** What became of an event at one Automation. */
export interface Outcome {
  automation: string;
  became: "triggered" | "steered" | "duplicate" | "early" | "unwanted" | "waited" | "unread";
  /** The Run, or why there is none, in a sentence. */
  message: string;
  /** Where it became a prompt. */
  steered?: { sessionName: string; promptName: string } | undefined;
  /** Of the provider, where it could not be asked. */
  failure?: ProviderError | undefined;
}

export function nameOf({ metadata }: Automation): string {
  return metadata.name ?? "";
}

/** What became of an event at all of them: the Runs come first. */
export function verdictOf(outcomes: readonly Outcome[]): { reason: Reason; succeeded: boolean; message: string } {
  const order = ["triggered", "steered", "duplicate", "waited", "unread", "early", "unwanted"] as const;
  const sorted = order.flatMap((became) => outcomes.filter((one) => one.became === became));
  const message = sorted.map((one) => `${one.automation}: ${one.message}`).join("; ");
  switch (sorted[0]?.became) {
    case "triggered":
      return { reason: "RunsStarted", succeeded: true, message };
    case "steered":
      return { reason: "SessionPrompted", succeeded: true, message };
    case "early":
      return { reason: "SessionNotStarted", succeeded: false, message };
    case "duplicate":
      return { reason: "RunsThere", succeeded: true, message };
    case "waited":
      return { reason: "TooManyUnfinishedRuns", succeeded: false, message };
    case "unread":
      return { reason: "ProviderUnavailable", succeeded: false, message };
    case "unwanted":
      return { reason: "NotWanted", succeeded: false, message };
    case undefined:
      return { reason: "NotWanted", succeeded: false, message: "No Automation wants events of this type" };
  }
}

/** The status of an event that was held against all Automations. */
export function handledStatus(
  { metadata: { generation } }: IntegrationEvent,
  outcomes: readonly Outcome[],
  now: Date,
): IntegrationEventStatus {
  const { reason, succeeded, message } = verdictOf(outcomes);
  const mark = {
    type: conditionTypes.succeeded,
    status: succeeded ? "True" : "False",
    reason,
    message: firstCharacters(message, 1_024),
  } as const;
  const countOf = (...kinds: Outcome["became"][]): number =>
    Math.min(1_000, outcomes.filter(({ became }) => kinds.includes(became)).length);
  return {
    observedGeneration: generation,
    conditions: withMarks(undefined, [mark], { now, generation }),
    triggered: countOf("triggered"),
    steered: countOf("steered"),
    skipped: countOf("duplicate", "waited", "unread", "early"),
    ...outcomes.find(({ steered }) => steered !== undefined)?.steered,
    settledTime: now.toISOString(),
  };
}
