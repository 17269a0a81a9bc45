/** Reasons of conditions and events. Each has an entry in reason-meanings.ts. */
export const reasons = {
  /** Accepted and waiting for the controller or for a free sandbox slot. */
  pending: "Pending",
  queued: "Queued",
  running: "Running",
  completed: "Completed",
  skipped: "Skipped",
  partiallyFailed: "PartiallyFailed",
  /** The agent reported a failure. */
  failed: "Failed",
  cancelled: "Cancelled",

  connectTimeout: "ConnectTimeout",
  bootTimeout: "BootTimeout",
  heartbeatLost: "HeartbeatLost",
  executionTimeout: "ExecutionTimeout",
  sandboxLost: "SandboxLost",
  sandboxLifetimeEnded: "SandboxLifetimeEnded",
  savingWorkspace: "SavingWorkspace",
  cloneFailed: "CloneFailed",
  hookFailed: "HookFailed",
  agentNotStarted: "AgentNotStarted",
  startFailuresRepeated: "StartFailuresRepeated",
  queueFull: "QueueFull",
  /** The parent's limit of child sessions was reached. */
  childRefused: "ChildRefused",
  sessionNotFound: "SessionNotFound",

  unschedulable: "Unschedulable",
  imagePullFailed: "ImagePullFailed",
  podRejected: "PodRejected",
  outOfMemory: "OutOfMemory",

  ownerNotAllowed: "OwnerNotAllowed",
  serviceAccountNotFound: "ServiceAccountNotFound",
  sandboxClassNotFound: "SandboxClassNotFound",
  repositoryNotFound: "RepositoryNotFound",
  environmentNotFound: "EnvironmentNotFound",
  secretNotFound: "SecretNotFound",
  invalidSecret: "InvalidSecret",
  agentNotConfigured: "AgentNotConfigured",
  bundleTooLarge: "BundleTooLarge",
  secretsTooLarge: "SecretsTooLarge",

  automationNotFound: "AutomationNotFound",
  automationDeleted: "AutomationDeleted",
  automationReplaced: "AutomationReplaced",
  automationPaused: "AutomationPaused",
  /** Between the Run's start and its first prompt. */
  automationChanged: "AutomationChanged",
  sessionChanged: "SessionChanged",
  concurrentRunActive: "ConcurrentRunActive",
  startDeadlineExceeded: "StartDeadlineExceeded",

  /** Another object has a name that the controller needs. */
  nameTaken: "NameTaken",
  /** A result came after the verdict and is kept as a note. */
  lateResult: "LateResult",

  suspended: "Suspended",
  tooManyFailures: "TooManyFailures",
  notPaused: "NotPaused",
  resumed: "Resumed",
  /** A person fired the automation through the gateway. */
  triggered: "Triggered",
  /** A person asked a session something through the gateway. */
  prompted: "Prompted",
  cancelRequested: "CancelRequested",
  keyIssued: "KeyIssued",
  keyNotIssued: "KeyNotIssued",
  keyInvalid: "KeyInvalid",

  invalidSchedule: "InvalidSchedule",
  intervalTooShort: "IntervalTooShort",
  unknownTimeZone: "UnknownTimeZone",
  /** A slot was fired late, after others were missed. */
  missedSchedule: "MissedSchedule",

  foreignNetworkPolicy: "ForeignNetworkPolicy",
  settingAboveLimit: "SettingAboveLimit",
  costLimitReached: "CostLimitReached",

  starting: "Starting",
  connecting: "Connecting",
  booting: "Booting",
  idle: "Idle",
  stopped: "Stopped",
  ready: "Ready",
  invalidSpec: "InvalidSpec",
  progressingWithRetry: "ProgressingWithRetry",
} as const;
export type Reason = (typeof reasons)[keyof typeof reasons];
