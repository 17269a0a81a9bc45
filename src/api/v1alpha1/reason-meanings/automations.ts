import type { ReasonMeaning } from "./meaning.ts";

/** Meanings of what stands between an Automation and its Runs, of its keys and schedule, and of settings. */
export const automationsMeanings = {
  AutomationNotFound: { means: "There is no such Automation." },
  AutomationDeleted: { means: "The Automation was deleted before the Run started." },
  AutomationReplaced: { means: "The Automation was replaced by another of its name before the Run started." },
  AutomationPaused: {
    means: "The Automation is paused.",
    remedy: "Resume it, or set the annotation runwright.dev/while-paused on the Run.",
  },
  AutomationChanged: {
    failureOf: "platform",
    means: "The Automation was changed between the Run's start and its first Prompt, while no controller ran.",
    remedy: "Start it again.",
  },
  SessionChanged: {
    failureOf: "platform",
    means: "The Session's ServiceAccount was changed before its first Prompt.",
    remedy: "Change the Automation instead, and start it again.",
  },
  TriggerMismatch: {
    means: "The Run's trigger is of another type than its Automation's.",
    remedy: "Fire the Automation by hand, or as its trigger says.",
  },
  ConcurrentRunActive: { means: "Another Run of the Automation was active." },
  StartDeadlineExceeded: {
    failureOf: "platform",
    means:
      "The Run was at least 6,000 seconds old when it was first seen, or Pending, or its session Queued, for the maxPendingSeconds of its class. It does not count as a failure of the automation.",
    remedy: "Make room, or raise maxPendingSeconds of the SandboxClass, and start it again.",
  },

  NameTaken: {
    failureOf: "platform",
    means: "Another object has a name that the controller needs.",
    remedy: "Remove or rename that object.",
  },
  LateResult: { means: "A result came after the end and is kept in status.lateResult." },

  Suspended: { means: "Paused by spec.suspend.", remedy: "Set spec.suspend to false." },
  TooManyFailures: {
    means: "Paused after three failed Runs in a row.",
    remedy: "Fix the cause, then give the annotation runwright.dev/resume-requested-at a new value.",
  },
  NotPaused: { means: "The automation is active." },
  Resumed: { means: "The pause was ended and the count of failures starts at 0." },
  Triggered: { means: "A person started it through the REST API; the event's note names them." },
  Prompted: { means: "A person sent a prompt through the REST API; the event's note names them." },
  CancelRequested: { means: "A person cancelled the prompt through the REST API; the event's note names them." },
  PullRequestRequested: {
    means:
      "A person asked through the REST API or in Slack for the pull request of the prompt's branch; the event's note names them.",
  },
  KeyIssued: { means: "There is a key for deliveries." },
  KeyNotIssued: { means: "There is no key yet; deliveries are answered 401.", remedy: "kubectl runwright key create." },
  KeyInvalid: {
    means:
      "The Secret of keyHashSecretRef or authentication.hmac.secretRef does not hold a SHA-256 hash, or a signing secret.",
    remedy: "Store 64 lower-case hexadecimal digits.",
  },

  InvalidSchedule: {
    means: "The cron expression has no slots.",
    remedy: "Fix spec.trigger.schedule.cron as the message says.",
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
    means: "One Run was started late for all slots that were missed.",
    remedy: "Check whether the controller was down or the Run was refused.",
  },

  CostLimitReached: {
    failureOf: "agent",
    means:
      "The Session and its family have reached maxSessionCostUsd; the processed prompt was stopped, and waiting prompts do not start.",
    remedy:
      "Raise maxSessionCostUsd under the spec.settings of the Session, or of its root session where it is a child, or set it to empty text for no limit.",
  },
  CostNotReported: {
    means: "A Session has a maxSessionCostUsd, and its agent ended a prompt without having reported a cost.",
    remedy:
      'Use an acp agent that sends usage_update with a cost in USD, or have an exec agent write lines such as {"usage": {"costUsd": 0.25}}.',
  },
  SettingAboveLimit: {
    means:
      "A setting was above its bound and was replaced by it, or the lifetime leaves no time to save the workspace.",
    remedy: "Lower the setting in the scope that the message names, or raise its bound.",
  },
  ClusterRangesUnknown: {
    means: "Sandboxes of the class may reach addresses of the cluster that count as the internet's.",
    remedy: "Set the chart value sandbox.egressExceptCIDRs to the ranges of Nodes, pods, Services and the API server.",
  },
  ForeignNetworkPolicy: {
    means:
      "Another NetworkPolicy of the namespace selected the sandbox of a Session or of a build when it was started, or selects those that wait in a SandboxPool. What it allows is allowed too.",
    remedy: "Narrow that policy's podSelector, or accept what it allows.",
  },
} as const satisfies Record<string, ReasonMeaning>;
