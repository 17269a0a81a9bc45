/**
 * Why something that came to the sandbox port was refused: a connection dropped, an upgrade answered by an error, a frame
 * that ended its connection; and what runtimes say to have refused of their agents' containers. A closed set, since each is
 * a label.
 */
export const refusalReasons = [
  "TooManyConnections",
  "NotFound",
  "Unauthorized",
  "TokenNotAccepted",
  "TokenReviewFailed",
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
] as const;

export type RefusalReason = (typeof refusalReasons)[number];
