import type { ReasonMeaning } from "./meaning.ts";

/** Meanings of what becomes of Runs, prompts, sessions and their sandboxes. */
export const workMeanings = {
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
  ImageUnusable: {
    failureOf: "platform",
    means: "The class's image lacks the program that a sandbox begins with.",
    remedy: "Make the image FROM the sandbox image of this release, and keep what that has.",
  },
  ContainerNotStarted: {
    means: "The node cannot start a container of the sandbox yet.",
    remedy: "The message is the node's; check the volumes of the class, its runtimeClassName and the node.",
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

  OutOfStorage: {
    failureOf: "agent",
    means: "The sandbox wrote more to its node's disk than it may.",
    remedy: "Write less, or raise workspaceSizeLimit or resources.limits.ephemeral-storage of the class.",
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
  SkillsOverBudget: {
    failureOf: "platform",
    means:
      "There is no room for the session's set of skills beside those that other sessions of the namespace, or all sessions, have.",
    remedy:
      "Delete Sessions that are no longer needed, have fewer different sets of Skills (appliesTo), or ask the platform team for more.",
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
  EventsFull: {
    means:
      "Events of the Session or PrebuiltImage were left out, as it has 64 MiB of them. How boots and prompts went is kept for 4 MiB more.",
    remedy: "Go on in another Session, or have hooks and agent write less. What was left out is kept nowhere.",
  },
  EventsOverBudget: {
    means:
      "Events of the Session or PrebuiltImage were left out, as those of its namespace, or of all, have reached their budget of the blob store.",
    remedy:
      "Delete Sessions that are no longer needed, or ask the platform team for more (gateway.blobStore.budgets.events). Events are kept again once there is room; what was left out is kept nowhere.",
  },
  SecretsTooLarge: {
    failureOf: "platform",
    means: "The merged secrets of the global scope and the target have more than 131,072 bytes.",
    remedy: "Shorten or remove secrets of the scopes that the message names.",
  },
} as const satisfies Record<string, ReasonMeaning>;
