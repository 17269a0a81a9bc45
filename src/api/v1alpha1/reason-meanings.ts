import type { Reason } from "./reasons.ts";

/** What a reason means, and what a person can do where somebody has to. */
export interface ReasonMeaning {
  means: string;
  remedy?: string;
  /** Where a Run or prompt that failed with it failed; absent: nothing fails with this reason. */
  failureOf?: FailureOrigin;
}

/**
 * Whose failure it was: the agent's, with its hooks and its time and memory, or that of anything around it: cluster,
 * gateway, permissions, references, people. Both are strikes.
 */
export type FailureOrigin = "agent" | "platform";

/** One entry for each reason, in the order of the reference page. */
export const reasonMeanings = {
  Pending: { means: "Accepted; the controller has not started it yet." },
  Queued: { means: "Waits for a free sandbox of its class.", remedy: "Raise the SandboxClass's maxSandboxes." },
  Running: { means: "At work." },
  Completed: { means: "The agent ended well; of a Run: in every session." },
  Skipped: { means: "The Run never started; Stalled has the cause." },
  PartiallyFailed: {
    failureOf: "agent",
    means: "Some of the Run's sessions completed, some failed.",
    remedy: "See status.sessions.",
  },
  Failed: { failureOf: "agent", means: "The agent reported failure.", remedy: "See the message and status.result." },
  Cancelled: { failureOf: "platform", means: "Withdrawn before it ended." },

  ConnectTimeout: {
    failureOf: "platform",
    means: "The runtime did not connect within 4 minutes of its container's start.",
    remedy: "Check NetworkPolicy and DNS between the sandbox and the gateway, and the container runtime's log.",
  },
  BootTimeout: {
    failureOf: "platform",
    means: "The sandbox was not ready within the boot budget.",
    remedy: "Shorten the hooks, or raise SANDBOX_BOOT_TIMEOUT_MS.",
  },
  HeartbeatLost: {
    failureOf: "platform",
    means: "The runtime sent no heartbeat for more than 90 seconds.",
    remedy: "Check the node and its network.",
  },
  ExecutionTimeout: {
    failureOf: "agent",
    means: "The execution budget passed; of a Run: no result came in time.",
    remedy: "Raise sandboxTimeoutMs of the scope, or EXECUTION_TIMEOUT_MS.",
  },
  SandboxLost: {
    failureOf: "platform",
    means: "The sandbox pod ended or vanished by itself.",
    remedy: "Check the pod's and the node's events.",
  },
  SandboxLifetimeEnded: {
    failureOf: "agent",
    means: "The sandbox reached its lifetime.",
    remedy: "Raise sandboxTimeoutMs.",
  },
  SavingWorkspace: {
    means:
      "The sandbox is about to end, idle or near the end of its lifetime, and its workspace is being saved; prompts wait for the next one.",
  },
  CloneFailed: {
    failureOf: "platform",
    means: "A repository could not be cloned.",
    remedy: "Check URL, branch, credential and certificate authority of the Repository.",
  },
  HookFailed: {
    failureOf: "agent",
    means: "A start.sh failed.",
    remedy: "Mend .runwright/start.sh in the repository.",
  },
  AgentNotStarted: {
    failureOf: "platform",
    means: "The agent's program could not be started.",
    remedy: "Check agent.command, and that the class's image has the program.",
  },
  StartFailuresRepeated: {
    failureOf: "platform",
    means: "Three sandboxes failed to start; the message says when the next is tried.",
    remedy: "See why the last one failed.",
  },
  QueueFull: {
    failureOf: "platform",
    means: "The session had 50 unfinished prompts already.",
    remedy: "Send it again later.",
  },
  ChildRefused: {
    failureOf: "platform",
    means: "A child session that its parent could not have; the message says which limit it met.",
    remedy: "Wait until another child has ended, or raise maxConcurrentChildSessions or maxTotalChildSessions.",
  },
  SessionNotFound: {
    failureOf: "platform",
    means: "The Prompt's Session was not there for a minute, or was deleted before the Prompt ended.",
    remedy: "Create the Session, then another Prompt.",
  },

  Unschedulable: {
    failureOf: "platform",
    means: "No node takes the pod.",
    remedy: "Check the class's requests, node selector and free nodes.",
  },
  ImagePullFailed: {
    failureOf: "platform",
    means: "The sandbox image cannot be pulled.",
    remedy: "Check image and imagePullSecrets of the class.",
  },
  PodRejected: {
    failureOf: "platform",
    means: "The API server or the node refused the pod, or the API server what the pod needs.",
    remedy: "Check quota and Pod Security of the namespace, and the class's tunnelRoute; the message says which.",
  },
  OutOfMemory: {
    failureOf: "agent",
    means: "The agent's container ran out of memory.",
    remedy: "Raise the class's memory limit.",
  },

  OwnerNotAllowed: {
    failureOf: "platform",
    means: "The ServiceAccount may not do what the session needs.",
    remedy: "Grant it use of the SandboxClass and get of the Repositories and Environments.",
  },
  ServiceAccountNotFound: {
    failureOf: "platform",
    means: "There is no such ServiceAccount.",
    remedy: "Create it, or name another.",
  },
  SandboxClassNotFound: {
    failureOf: "platform",
    means: "There is no such SandboxClass, or none is the default.",
    remedy: "Create it, name another, or make one the default.",
  },
  RepositoryNotFound: {
    failureOf: "platform",
    means: "There is no such Repository in the namespace.",
    remedy: "Create it.",
  },
  EnvironmentNotFound: {
    failureOf: "platform",
    means: "There is no such Environment in the namespace.",
    remedy: "Create it.",
  },
  SecretNotFound: { failureOf: "platform", means: "There is no such Secret in the namespace.", remedy: "Create it." },
  InvalidSecret: {
    failureOf: "platform",
    means: "A Secret does not hold what it should.",
    remedy: "Mend it as the message says.",
  },
  AgentNotConfigured: {
    failureOf: "platform",
    means: "Neither Session nor SandboxClass names an agent.",
    remedy: "Set agent.command in one of them.",
  },
  BundleTooLarge: {
    failureOf: "platform",
    means: "What the sandbox needs to boot does not fit a Secret of 1,048,576 bytes.",
    remedy: "Shorten the certificate authorities or name fewer Repositories.",
  },
  SecretsTooLarge: {
    failureOf: "platform",
    means: "The global secrets and the target's have more than 131,072 bytes after merging.",
    remedy: "Shorten or remove secrets of the scopes that the message names.",
  },

  AutomationNotFound: { means: "There is no such Automation." },
  AutomationDeleted: { means: "The Automation was deleted before the Run started." },
  AutomationReplaced: { means: "The Automation was replaced by another of its name before the Run started." },
  AutomationPaused: {
    means: "The Automation is paused.",
    remedy: "Resume it, or say runwright.dev/while-paused on the Run.",
  },
  AutomationChanged: {
    failureOf: "platform",
    means: "The Automation was changed between the Run's start and its first Prompt, while no controller ran.",
    remedy: "Fire it again.",
  },
  SessionChanged: {
    failureOf: "platform",
    means: "The Session's ServiceAccount was changed before its first Prompt.",
    remedy: "Change the Automation instead, and fire it again.",
  },
  ConcurrentRunActive: { means: "Another Run of the Automation was active." },
  StartDeadlineExceeded: { means: "The Run was older than 6,000 seconds when it was first seen." },

  NameTaken: {
    failureOf: "platform",
    means: "Another object has a name that the controller needs.",
    remedy: "Remove or rename that object.",
  },
  LateResult: { means: "A result came after the verdict and is kept as a note." },

  Suspended: { means: "Paused by hand.", remedy: "Set spec.suspend to false." },
  TooManyFailures: {
    means: "Paused after three failed Runs in a row.",
    remedy: "Mend the cause, then give runwright.dev/resume-requested-at a new value.",
  },
  NotPaused: { means: "Deliveries and starts are taken." },
  Resumed: { means: "The pause was ended and the failures are counted anew." },
  Triggered: { means: "A person fired it through the gateway; the note says who." },
  Prompted: { means: "A person asked the session something through the gateway; the note says who." },
  CancelRequested: { means: "A person asked for the prompt's end through the gateway; the note says who." },
  KeyIssued: { means: "There is a key for deliveries." },
  KeyNotIssued: { means: "There is no key yet; deliveries are answered 401.", remedy: "kubectl runwright key create." },
  KeyInvalid: {
    means: "The Secret of keyHashSecretRef holds no SHA-256.",
    remedy: "Store 64 lower-case hexadecimal digits.",
  },

  InvalidSchedule: {
    means: "The cron expression has no slots.",
    remedy: "Mend spec.trigger.schedule.cron as the message says.",
  },
  IntervalTooShort: {
    means: "Slots of the schedule are less than 15 minutes apart.",
    remedy: "Choose times that are further apart.",
  },
  UnknownTimeZone: {
    means: "The controller's tz data does not know the time zone.",
    remedy: "Name an IANA zone such as Europe/Paris, or upgrade the operator where the zone is new.",
  },
  MissedSchedule: {
    means: "A slot was fired late, once for all that were missed.",
    remedy: "See whether the controller was away or something refused the Run.",
  },

  CostLimitReached: {
    means: "The Session's prompts have cost as much as maxSessionCostUsd allows; those that wait do not start.",
    remedy: "Raise maxSessionCostUsd under the Session's spec.settings, or set it to empty text for no limit.",
  },
  SettingAboveLimit: {
    means:
      "A setting of one of the scopes was above what bounds it, and the bound counts; or the lifetime leaves no time to save the workspace.",
    remedy: "Lower the setting in the scope that the message names, or raise its bound.",
  },
  ForeignNetworkPolicy: {
    means: "When the sandbox was started, another NetworkPolicy of the namespace selected it; policies add up.",
    remedy: "Narrow that policy's podSelector, or accept that sandboxes may also do what it allows.",
  },

  Starting: { means: "A sandbox pod is being started." },
  Connecting: { means: "The runtime's container runs and has not connected yet." },
  Booting: { means: "The runtime clones, runs hooks and starts the agent." },
  Idle: { means: "The sandbox waits for a prompt." },
  Stopped: { means: "No sandbox; the next prompt starts one." },
  Ready: { means: "All is well." },
  InvalidSpec: {
    failureOf: "platform",
    means:
      "The stored object does not fit this version's schema, or a Repository names an API of GitHub that the installation does not speak to.",
    remedy: "Change what the message names and apply it again.",
  },
  ProgressingWithRetry: { means: "Something failed that may pass by itself; it is tried again." },
} as const satisfies Record<Reason, ReasonMeaning>;
