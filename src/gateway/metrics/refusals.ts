/**
 * Why the sandbox port dropped a connection, answered an upgrade with an error, or closed a connection because of a
 * frame; and what runtimes report that they refused from their agents' containers. A closed set, since each is a label.
 */
export const refusalReasons = [
  "TooManyConnections",
  "SlowedDown",
  "NotFound",
  "Unauthorized",
  "TokenNotAccepted",
  "TokenReviewFailed",
  "LeaseLapsed",
  "Busy",
  "SessionUnknown",
  "SandboxNotRecorded",
  "NotThisPod",
  "AttemptOver",
  "Malformed",
  "TooLarge",
  "Flooding",
  "AgentImpersonated",
  "AgentTooLarge",
  "AgentMalformed",
  "AgentTooManyConnections",
  "AgentUsageInvalid",
  "AgentCredentialForeign",
  "AgentSignatureForeign",
  "AgentArchiveRefused",
] as const;

export type RefusalReason = (typeof refusalReasons)[number];
