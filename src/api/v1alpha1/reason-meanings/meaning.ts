/** Meaning of a reason, and what a person can do about it. */
export interface ReasonMeaning {
  means: string;
  remedy?: string;
  /** Absent where no Run or prompt fails with this reason. */
  failureOf?: FailureOrigin;
}

/**
 * `agent`: a failure of the agent, its hooks, its time or its memory. `person`: a person ended it. `platform`: any other.
 * Those of agent and platform count as failures of the automation, but for the wait for a place.
 */
export type FailureOrigin = "agent" | "person" | "platform";
