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

/**
 * All reasons of conditions and events, in the order of the reference page. They are one table, as its keys are the type of all reasons
 * and its order is that of the page.
 */
export const reasonMeanings = {
  Pending: { means: "Accepted; the controller has not started it yet." },
  Queued: {
    means: "Waiting for a free sandbox of its class.",
    remedy: "Raise the SandboxClass's maxSandboxes, or maxSandboxesPerNamespace where the message names it.",
  },
  Running: { means: "In progress." },
  PoolFull: { means: "As many sandboxes wait in the SandboxPool as are wanted." },
  PoolFilling: { means: "Sandboxes of the SandboxPool are being created." },
  PoolBounded: {
    means: "Fewer sandboxes wait in the SandboxPool than are wanted, as its class has no place for more.",
    remedy:
      "Raise the SandboxClass's maxWarmSandboxes or maxSandboxes, which the message names, or lower the pool's replicas.",
  },
  Completed: { means: "The agent succeeded; for a Run, in all sessions." },
  Skipped: {
    means: "The Run never started, or none of its sessions got a place; the condition Stalled has the cause.",
  },
  PartiallyFailed: {
    failureOf: "agent",
    means: "Some of the Run's sessions completed, some failed.",
    remedy: "See status.sessions.",
  },
  Failed: { failureOf: "agent", means: "The agent reported failure.", remedy: "See the message and status.result." },
  PromptTooLong: {
    failureOf: "platform",
    means: "The sandbox's image is of an earlier version, whose runtime takes only shorter prompts; nothing was sent.",
    remedy:
      "Give the SandboxClass this version's image, and end the session's sandbox; a PrebuiltImage is built anew. Then ask again.",
  },
  Cancelled: {
    failureOf: "person",
    means:
      "A person cancelled it, or deleted its Session or Prompt, before it ended. It does not count as a failure of the automation.",
  },

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
    means: "The execution budget was used up; for a Run, no result came in time.",
    remedy: "Raise sandboxTimeoutMs in one of the scopes, or EXECUTION_TIMEOUT_MS.",
  },
  SandboxLost: {
    failureOf: "platform",
    means: "The sandbox pod ended or disappeared.",
    remedy: "Check the pod's and the node's events.",
  },
  SandboxLifetimeEnded: {
    failureOf: "agent",
    means: "The sandbox reached the end of its lifetime.",
    remedy: "Raise sandboxTimeoutMs.",
  },
  SavingWorkspace: {
    means:
      "The sandbox is about to end, as it is idle or near the end of its lifetime, and its workspace is being saved. A prompt ends the saving of an idle sandbox; else prompts wait for the next sandbox.",
  },
  WorkspaceSaved: { means: "The workspace was saved; the next sandbox begins with it." },
  WorkspaceNotSaved: {
    failureOf: "platform",
    means: "The workspace could not be saved. An idle sandbox stays up meanwhile, for maxUnsavedSeconds of its class.",
    remedy:
      "See the message of the condition WorkspaceSaved, which names a budget that is used; a prompt may still push the work, or delete files. Check the blob store and the gateway's log.",
  },
  WorkspaceRestored: { means: "The sandbox began with the saved workspace." },
  WorkspaceNotRestored: {
    failureOf: "platform",
    means:
      "The saved workspace was not in the blob store, or was damaged there. The sandbox began with a fresh one: clone and setup.sh ran again.",
    remedy:
      "Work that was not pushed is lost unless the blob store's own backup has it. Check the blob store's disk or bucket, and its lifecycle rules.",
  },
  CloneFailed: {
    failureOf: "platform",
    means: "A repository could not be cloned.",
    remedy: "Check URL, branch, credential and certificate authority of the Repository.",
  },
  HookFailed: {
    failureOf: "agent",
    means: "A start.sh failed.",
    remedy: "Fix .runwright/start.sh in the repository.",
  },
  AgentNotStarted: {
    failureOf: "platform",
    means: "The agent's program could not be started.",
    remedy: "Check agent.command, and that the class's image contains the program.",
  },
  StartFailuresRepeated: {
    failureOf: "platform",
    means: "Three sandboxes failed to start; the message says when the next one is tried.",
    remedy: "See why the last one failed.",
  },
  QueueFull: {
    failureOf: "platform",
    means: "The session already had 50 unfinished prompts.",
    remedy: "Send it again later.",
  },
  ChildRefused: {
    failureOf: "platform",
    means: "The child session was refused; the message names the limit that its parent had reached.",
    remedy: "Wait until another child has ended, or raise maxConcurrentChildSessions or maxTotalChildSessions.",
  },
  SessionNotFound: {
    failureOf: "platform",
    means: "The Prompt's Session did not exist for a minute, or was deleted before the Prompt ended.",
    remedy: "Create the Session, then another Prompt.",
  },

  Unschedulable: {
    failureOf: "platform",
    means: "No node can run the pod.",
    remedy: "Check the class's requests, node selector and free nodes.",
  },
  ImagePullFailed: {
    failureOf: "platform",
    means: "The sandbox image cannot be pulled.",
    remedy: "Check image and imagePullSecrets of the class.",
  },
  PodRejected: {
    failureOf: "platform",
    means: "The API server or the node refused the pod or an object that the pod needs.",
    remedy: "Check quota and Pod Security of the namespace, and the class's tunnelRoute; the message says which.",
  },
  OutOfMemory: {
    failureOf: "agent",
    means: "The agent's container ran out of memory.",
    remedy: "Raise the class's memory limit.",
  },

  OwnerNotAllowed: {
    failureOf: "platform",
    means: "The ServiceAccount lacks a right that the session needs.",
    remedy: "Grant it the verb use on the SandboxClass and get on the Repositories and Environments.",
  },
  ServiceAccountNotFound: {
    failureOf: "platform",
    means: "There is no such ServiceAccount.",
    remedy: "Create it, or name another.",
  },
  SandboxClassNotFound: {
    failureOf: "platform",
    means: "There is no such SandboxClass, or no default one.",
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
    means: "A Secret lacks a key or holds a malformed value.",
    remedy: "Fix it as the message says.",
  },
  AgentNotConfigured: {
    failureOf: "platform",
    means: "Neither Session nor SandboxClass names an agent.",
    remedy: "Set agent.command in one of them.",
  },
  BundleTooLarge: {
    failureOf: "platform",
    means: "The data that the sandbox needs to boot does not fit into a Secret of 1,048,576 bytes.",
    remedy: "Shorten the certificate authorities or name fewer Repositories.",
  },
  SkillsTooLarge: {
    failureOf: "platform",
    means: "The Skills that apply to the session have more than 5,242,880 bytes.",
    remedy: "Narrow appliesTo of Skills, or set skills.mode of the Session or Automation.",
  },
  SkillsNotInstalled: {
    failureOf: "platform",
    means: "The session's skills did not get into its sandbox as they were when it was created.",
    remedy: "See the message; start another session if the stored skills were changed or deleted.",
  },
  InvalidSkill: {
    means:
      "SKILL.md and the files of a Skill are too large, two of its paths do not go together, or a file is no text; no session gets it.",
    remedy: "Change the file that the message names.",
  },
  SkillFileNotFound: {
    means: "A file of a Skill comes from a ConfigMap that does not exist or lacks the key; no session gets the Skill.",
    remedy: "Create the ConfigMap or add the key; within a minute the Skill is judged again.",
  },
  SecretsTooLarge: {
    failureOf: "platform",
    means: "The merged secrets of the global scope and the target have more than 131,072 bytes.",
    remedy: "Shorten or remove secrets of the scopes that the message names.",
  },

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
      "When the sandbox was started, another NetworkPolicy of the namespace selected its pod, and what it allows is allowed too.",
    remedy: "Narrow that policy's podSelector, or accept what it allows.",
  },

  Connected: { means: "The provider answers the connector." },
  ConnectorDisabled: {
    means: "The release has no connector, so nothing is called at the provider and events are not taken.",
    remedy: "Set the chart value connector.enabled to true.",
  },
  CredentialsRefused: {
    means: "The provider refuses the credentials, such as after the application was removed or its secret changed.",
    remedy: "Put valid credentials into the Secret of spec.credentialsSecretRef, and install the application again.",
  },
  ProviderUnavailable: {
    means:
      "The provider did not answer, or not as documented; it is tried again, and after 5 tries or an hour given up.",
    remedy:
      "Look at the provider's status page and at what is between it and the connector: proxy, NetworkPolicy, DNS.",
  },
  ProviderThrottled: { means: "The provider takes no more calls for now; it is tried again when it says so." },
  AccessDenied: {
    means: "The person is on none of the Integration's access lists.",
    remedy: "Add the person, the team or the channel under the Integration's spec.access.",
  },
  TargetUnknown: {
    means: "It is not clear which Repository or Environment a request is about; the person was asked.",
    remedy:
      "Add a mapping for the issue's project or team, or for the channel, or a rule; or name the repository in the comment.",
  },
  ChoiceRefused: {
    means:
      "A person's choice of what a request is about does not count: another person asked, the list is older than an hour, or what was chosen is gone.",
    remedy: "The person who asked chooses again, or sends the request again.",
  },
  PostsGivenUp: {
    means: "Something could not be posted at the provider in 5 tries.",
    remedy: "Read the answer in the Session, and fix what the message names.",
  },
  HomeViewRefused: {
    means: "Slack refused what the app's Home tab was to show a person.",
    remedy: "Enable the Home tab under App Home in the app's settings, as our manifest does, and open the tab again.",
  },
  IntegrationNotFound: {
    means: "The Integration whose events should start Runs is not there, or is one of another provider.",
    remedy: "Create it, or name another one in the trigger's integrationRef.",
  },
  IntegrationNotReady: {
    means: "Events of the Integration start nothing for now; the message says why.",
    remedy: "See the Integration: kubectl runwright integrations.",
  },
  TargetNotServed: {
    means: "The target is none of the Integration's repositories, so no event is about it.",
    remedy: "Add the Repository to the Integration, or choose another target.",
  },
  EventsNotSubscribed: {
    means: "GitHub does not send the events that should start Runs, as its App is not subscribed to them.",
    remedy:
      "In the App's settings, Permissions & events, subscribe to what the message names; the organization's owner accepts new permissions.",
  },
  IntegrationMismatch: {
    failureOf: "platform",
    means: "The Session is not what its Integration allows: another ServiceAccount, class or target, or none is there.",
    remedy: "Ask again at the provider, so that a Session by the Integration of today is made.",
  },
  SessionStarted: { means: "The event started a Session." },
  SessionPrompted: { means: "The event became a follow-up prompt of a Session." },
  SessionStopped: { means: "The event stopped what a Session was at." },
  SessionNotStarted: {
    means: "A reply in the thread of a Run came before the Run had a session; its sender was told.",
    remedy: "Send the message again.",
  },
  StopFailed: {
    means: "The prompts of a Session could not be cancelled; follow-ups still go to it.",
    remedy: "Cancel it by hand: kubectl runwright session cancel.",
  },
  NothingToDo: { means: "The event asks for nothing that can be done, such as to stop what does not run." },
  RunsStarted: { means: "The event started Runs; the message names them." },
  RunsThere: { means: "Each Automation that wants the event has a Run of it already." },
  NotWanted: {
    means: "No Automation wants the event; the message says why not.",
    remedy:
      "Change the trigger of the Automation that should want it; then redeliver the event at GitHub, or write the message again in Slack.",
  },
  TooManyUnfinishedRuns: {
    means:
      "The event waited an hour for Automations that had as many unfinished Runs as they may have, and started none.",
    remedy: "Raise maxUnfinishedRuns of the trigger, or see why Runs do not end.",
  },
  PullRequestPending: { means: "The pull request is being opened; the message says what the last try met." },
  PullRequestOpened: { means: "The connector opened the pull request." },
  PullRequestAdopted: { means: "A pull request for the same branches was there; it is this one from now on." },
  PullRequestRefused: {
    means: "GitHub does not open the pull request: it refused, or gave no answer in 5 tries.",
    remedy:
      "See that the branch is there and has commits that the base has not, and that the App may write pull requests; then ask again: kubectl runwright pull-request create SESSION.",
  },
  PullRequestNotOpened: {
    means:
      "A person pressed the button of an answer, and no pull request came of it; the message is what the person read.",
    remedy: "Do what the message says, and press the button again.",
  },
  PullRequestUpdated: { means: "The event said that a pull request had changed; its state is what GitHub now says." },
  UntrackedPullRequest: { means: "No Session of the namespace owns the pull request that the event is about." },
  FeedbackQueued: { means: "Feedback on a pull request became a Prompt of its Session." },
  AutofixDisabled: {
    means: "Feedback on pull requests of this Repository is not worked in.",
    remedy: "Set autofix.mode to On on the Integration or the Repository.",
  },
  ReviewsDisabled: { means: "Reviews are not worked in.", remedy: "Set autofix.reviews to On." },
  PullRequestCommentsDisabled: {
    means: "Comments on pull requests are not worked in.",
    remedy: "Set autofix.pullRequestComments to On.",
  },
  PullRequestNotOpen: { means: "The pull request that the feedback is about was merged or closed." },
  AuthorLacksWritePermission: {
    means: "The author of the feedback may not write to the repository.",
    remedy: "Give the person the permission to write, or work it in yourself.",
  },
  BotNotAllowed: {
    means: "The review is of a bot that is not allowed.",
    remedy: "Add its login to autofix.allowedReviewBots.",
  },
  BotPullRequestComment: {
    means: "Comments of bots on a pull request are left alone, so that bots do not answer each other.",
  },
  OwnReviewsDisabled: {
    means: "Reviews that the App itself wrote are not worked in.",
    remedy: "Set autofix.ownReviews to On.",
  },
  OwnReviewReplies: { means: "The App's own replies to comments are left alone." },
  ExplicitMention: { means: "The feedback mentions the App, and so asks for a session of its own." },
  ReviewStateNotActionable: { means: "The review asks for nothing: it approves, or was dismissed." },
  EmptyFeedback: { means: "The feedback says nothing." },
  FeedbackNotFound: { means: "GitHub has the feedback no more." },
  FeedbackTooLarge: {
    means: "The review has over 100 comments, or its text over 200,000 bytes; nothing of it was sent.",
    remedy: "Split it into several reviews.",
  },
  SessionClosed: { means: "The Session that owns the pull request is being deleted." },
  AttemptLimit: {
    means: "The pull request has had as many prompts as it may have in 24 hours.",
    remedy:
      "Raise autofix.maxAttemptsPer24Hours or set autofix.attempts to Unlimited; feedback that was skipped is not worked in later.",
  },
  Built: { means: "The image is stored and was checked; sessions begin with it." },
  NoImage: { means: "There is no image that sessions could begin with yet." },
  Superseded: {
    means: "What the image was built from has changed, so sessions begin without it until the next build has ended.",
  },
  DuplicateScope: {
    means: "An older PrebuiltImage has the same Repository or Environment and the same class; that one is built.",
    remedy: "Delete one of the two; the message names the other.",
  },
  Checking: { means: "A pod looks whether the branches have new commits." },
  Building: { means: "A pod clones and runs setup.sh." },
  Saving: { means: "Workspace and home are being stored." },
  BuildTimeout: {
    means:
      "Clone and setup.sh did not end within buildTimeoutSeconds, or within 600 s less than the class's maxSandboxTimeoutMs.",
    remedy:
      "Shorten .runwright/setup.sh, or raise buildTimeoutSeconds, at most 3,600; where the class's maxSandboxTimeoutMs bounds it, raise that.",
  },
  FinalizationTimeout: {
    means: "The image was not stored within 10 minutes after the time for clone and setup.sh.",
    remedy: "Have setup.sh delete what sessions do not need, and check the blob store.",
  },
  SetupFailed: {
    means: "A setup.sh failed, which ends a build.",
    remedy: "Fix .runwright/setup.sh in the repository; the message has the last lines of its standard error.",
  },
  PolicyMismatch: {
    failureOf: "platform",
    means:
      "An admission policy of the release refused what its gateway had to write: the installed policies are of another version.",
    remedy:
      "Upgrade the release with its chart, so that policies and processes are of one version; the message has the policy and the field.",
  },
  RuntimeOutdated: {
    means: "The class's image has a runtime that cannot build images.",
    remedy: "Rebuild the class's image from this version's sandbox image.",
  },
  ImageNotStored: {
    means: "The image could not be stored.",
    remedy: "See the message; check the blob store and the gateway's log.",
  },
  ImageDamaged: {
    means: "A session found the image missing or damaged in the blob store and began without it; it is built again.",
    remedy: "Check the blob store's disk or bucket, and its lifecycle rules.",
  },
  SecretsFound: {
    means: "Files of the image contain values of secrets; every session that begins with it can read them.",
    remedy: "Have setup.sh delete the files that the message names, or not write the values there.",
  },
  UpdateFailed: {
    means:
      "A Repository of the prebuilt image could not be updated to its branch; the session works on the older commit.",
    remedy: "Check URL, branch and credential of the Repository.",
  },
  Updated: { means: "The Repositories of the prebuilt image were updated to their branches." },
  LifetimeTooShort: {
    means: "The class's maxSandboxTimeoutMs leaves no time to build an image in: 600 seconds of it are for storing.",
    remedy: "Raise maxSandboxTimeoutMs of the SandboxClass above 600,000.",
  },

  Starting: { means: "A sandbox pod is being started." },
  Connecting: { means: "The runtime's container is running but has not connected yet." },
  Booting: { means: "The runtime is cloning, running hooks and starting the agent." },
  Idle: { means: "The sandbox is waiting for a prompt." },
  Stopped: { means: "No sandbox; the next prompt starts one." },
  Ready: { means: "The object can be used." },
  InvalidSpec: {
    failureOf: "platform",
    means:
      "The stored object does not fit this version's schema, or a Repository names a GitHub API that is not in the chart value gateway.githubAPIURLs.",
    remedy: "Change what the message names and apply it again.",
  },
  ProgressingWithRetry: { means: "A step failed for a reason that may be temporary; it is tried again." },
} as const satisfies Record<string, ReasonMeaning>;
