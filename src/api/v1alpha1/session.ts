import { z } from "zod";
import { Agent } from "./agent.ts";
import { observed } from "./conditions.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { costUsd, NextDeadline, Result } from "./outcome.ts";
import { sandboxAccountName } from "./names.ts";
import {
  atomicOf,
  integer,
  LabelName,
  LocalReference,
  ServiceAccountName,
  text,
  Time,
  withTransitionRule,
} from "./schema.ts";
import { SessionSettings, SettingOrigins, Settings } from "./settings.ts";
import { skillLimits } from "./skill-limits.ts";
import { SkillSelection } from "./skill.ts";
import { SessionTarget } from "./targets.ts";

/** What a Session and an Automation's template of sessions both say. */
export const sessionTemplate = {
  sandboxClassName: LabelName.optional().describe(
    "sandboxClassName names a SandboxClass, at most 63 characters; left out, the default class is used.",
  ),
  agent: Agent.optional().describe("agent overrides the class's agent."),
  settings: Settings.optional().describe("settings override those of class, Repository and Environment."),
  skills: SkillSelection.optional().describe(
    "skills narrows the Skills that the session gets when it is created; left out, it gets all that apply.",
  ),
};

/** The skills of a session, fixed when its first sandbox is created. */
export const SessionSkills = z
  .object({
    digest: text(71).describe("digest is the SHA-256 of the stored set, such as sha256:2c26…."),
    names: atomicOf(z.array(text(64)).max(1_000)).describe("names are the names of its Skills, sorted, at most 1,000."),
    bytes: integer(0, skillLimits.sessionBytes).describe("bytes is the size of their files, at most 5 MiB."),
    pieces: integer(1, 100).describe("pieces is the number of Secrets that the set is stored in."),
  })
  .describe("SessionSkills are the skills of a session.");
export type SessionSkills = z.infer<typeof SessionSkills>;

export const SessionSpec = withTransitionRule(
  z
    .object({
      title: text(200).optional().describe("title is the name that people see, at most 200 characters."),
      target: SessionTarget.prefault({}).describe("target is what the session works on. It cannot change."),
      ...sessionTemplate,
      serviceAccountName: ServiceAccountName.default(sandboxAccountName).describe(
        "serviceAccountName is the ServiceAccount under which the sandbox runs and whose rights are checked. It must not be default, and the author must be allowed to impersonate it unless it is runwright-sandbox. At most 253 characters. Defaults to runwright-sandbox.",
      ),
      payloadRunRef: LocalReference.optional().describe(
        "payloadRunRef names the Run that owns the session and whose payload its sandboxes get as a file; set for Automations with webhook.payloadFile. Defaults to none.",
      ),
      idleTimeoutSeconds: integer(0, 86_400)
        .default(600)
        .describe(
          "idleTimeoutSeconds is how long the sandbox stays up without a prompt, 0 to 86,400; its workspace is then saved for the next prompt. 0 ends it with the last prompt and saves nothing. Defaults to 600.",
        ),
    })
    .describe("SessionSpec is the wanted state."),
  {
    message: "target cannot change; create another Session",
    cel: "self.target == oldSelf.target",
    fieldPath: ".target",
  },
);
export type SessionSpec = z.infer<typeof SessionSpec>;

export const Tunnel = z
  .object({
    port: z.int32().min(1).max(65_535).describe("port is the port in the sandbox, 1 to 65,535."),
    url: text(2_048).describe("url is the port's address, at most 2,048 characters."),
  })
  .describe("Tunnel is a port of the sandbox and its address.");

export type Tunnel = z.infer<typeof Tunnel>;

export const Sandbox = z
  .object({
    attempt: integer(1, 1_000_000).describe(
      "attempt numbers the session's sandboxes from 1; reports of earlier attempts are ignored.",
    ),
    podName: text(63).describe("podName is the sandbox pod's name."),
    podUID: text(64).optional().describe("podUID is the sandbox pod's UID; only this pod gets the session's bundle."),
    createTime: Time.describe("createTime is when the controller created the pod; the boot budget runs from here."),
    containerStartTime: Time.optional().describe(
      "containerStartTime is when the controller first saw the runtime's container running; the connect watchdog runs from here.",
    ),
    connectTime: Time.optional().describe("connectTime is when the runtime first connected."),
    phase: z
      .object({
        name: z
          .enum(["Restoring", "Cloning", "SetUp", "Start", "StartingAgent"])
          .describe(
            "name says what goes on: Restoring the saved workspace, Cloning, SetUp and Start (the hooks setup.sh and start.sh), or StartingAgent.",
          ),
        repository: text(63).optional().describe("repository is the Repository whose hook runs."),
        since: Time.describe("since is when it began."),
      })
      .optional()
      .describe(
        "phase is what boot is at, until it has ended; shown with the next change of the status, or once it lasts longer than 30 seconds.",
      ),
    readyTime: Time.optional().describe("readyTime is when the controller saw that boot had ended."),
    gatewaysAwayMs: integer(1)
      .optional()
      .describe(
        "gatewaysAwayMs is for how many milliseconds of its boot no gateway was there; the boot budget is longer by as much.",
      ),
    gatewaysBackTime: Time.optional().describe(
      "gatewaysBackTime is the end of the last outage of all gateways by which deadlines were moved.",
    ),
    tunnels: atomicOf(z.array(Tunnel).max(10))
      .optional()
      .describe("tunnels are the ports that people reach through the gateway, at most 10."),
    snapshotTime: Time.optional().describe(
      "snapshotTime is when the saving of the workspace began; no prompt begins while it goes on.",
    ),
    snapshotTry: integer(1, 1_000_000)
      .optional()
      .describe("snapshotTry numbers the tries to save this sandbox's workspace from 1."),
    saveFailures: integer(1, 1_000_000)
      .optional()
      .describe("saveFailures is how many tries to save the workspace have failed since the sandbox became idle."),
    saveFailureTime: Time.optional().describe(
      "saveFailureTime is when the last of them failed; the next one begins 1 minute later, then after twice as long each time, up to 30 minutes.",
    ),
    maxUnsavedSeconds: integer(0, 604_800)
      .optional()
      .describe("maxUnsavedSeconds is the class's maxUnsavedSeconds when the sandbox was created; left out, 86,400."),
    workspaceLimitBytes: integer(0)
      .optional()
      .describe(
        "workspaceLimitBytes is the class's workspaceSizeLimit when the sandbox was created, in bytes; no larger archive of its workspace is saved.",
      ),
    volumeSnapshotClassName: text(253)
      .optional()
      .describe(
        "volumeSnapshotClassName is the VolumeSnapshotClass that saves the workspace's volume; left out, an archive goes to the blob store.",
      ),
    costUsd: costUsd(32)
      .optional()
      .describe("costUsd is what the sandbox has cost so far in US dollars, as far as the agent reported it."),
    costTime: Time.optional().describe("costTime is when costUsd grew last; it follows within 2 minutes."),
    endTime: Time.optional().describe("endTime is when the attempt ended; later reports of it are ignored."),
    endReason: text(64).optional().describe("endReason is why the attempt ended."),
    forPromptUID: text(64)
      .optional()
      .describe("forPromptUID is the UID of the prompt that was first in line when the sandbox was started."),
    replacement: z
      .boolean()
      .optional()
      .describe(
        "replacement is true when this sandbox replaces one that failed to start for the same prompt; a prompt gets one replacement.",
      ),
  })
  .describe("Sandbox is the session's current or last sandbox.");
export type Sandbox = z.infer<typeof Sandbox>;

export const Snapshot = z
  .object({
    attempt: integer(1, 1_000_000).describe("attempt is the number of the sandbox that was saved."),
    time: Time.describe("time is when the controller saw that the workspace was saved."),
    bytes: integer(0).describe("bytes is the size of the archive, or of the volume."),
    archive: text(63).optional().describe("archive is the name of the archive in the blob store."),
    digest: text(71)
      .optional()
      .describe(
        "digest is the SHA-256 of the archive, such as sha256:2c26…; archives of earlier versions and volumes have none.",
      ),
    problem: z
      .enum(["Missing", "Damaged"])
      .optional()
      .describe(
        "problem is why no sandbox begins with it: Missing from the blob store, or Damaged, so not what was saved.",
      ),
    volumeSnapshotName: text(63)
      .optional()
      .describe(
        "volumeSnapshotName is the VolumeSnapshot that holds the workspace; left out, it is in the blob store.",
      ),
  })
  .describe("Snapshot is a saved workspace.");

/** The commit of one Repository. */
export const ImageCommit = z
  .object({
    repository: text(63).describe("repository is the Repository's name."),
    commit: text(64).describe("commit is the full id of the commit."),
  })
  .describe("ImageCommit is the commit of one Repository.");
export type ImageCommit = z.infer<typeof ImageCommit>;

export const ImageCommits = atomicOf(z.array(ImageCommit).max(10));

export const SessionImage = z
  .object({
    name: text(63).describe("name is the PrebuiltImage's name."),
    uid: text(64).describe("uid is the PrebuiltImage's UID."),
    reason: z
      .enum([
        "Used",
        "NoImage",
        "Suspended",
        "RepositoriesChanged",
        "ClassImageChanged",
        "SecretsChanged",
        "RuntimeOutdated",
        "OtherArchitecture",
        "LookupFailed",
      ])
      .describe(
        "reason is Used, or why the sandbox began without the image: NoImage (none was built yet), Suspended, RepositoriesChanged, ClassImageChanged, SecretsChanged (since it was built), RuntimeOutdated, OtherArchitecture, LookupFailed (the secrets could not be compared).",
      ),
    build: integer(1, 1_000_000).optional().describe("build is the number of the build that made it."),
    archive: text(63).optional().describe("archive is the name of the archive in the blob store."),
    digest: text(71).optional().describe("digest is the SHA-256 of the archive."),
    bytes: integer(0).optional().describe("bytes is the size of the archive."),
    commits: ImageCommits.optional().describe("commits are the commits in it, from which Repositories were updated."),
    problem: z
      .enum(["Missing", "Damaged"])
      .optional()
      .describe(
        "problem is why the sandbox began without the image after all: Missing from the blob store, or Damaged, so not what was stored.",
      ),
  })
  .describe("SessionImage is the prebuilt image of a session's target and class.");
export type SessionImage = z.infer<typeof SessionImage>;

export const CurrentPrompt = z
  .object({
    name: text(63).describe("name is the Prompt's name."),
    uid: text(64).describe("uid is the Prompt's UID."),
    startTime: Time.describe("startTime is when the controller started it."),
    deadline: Time.describe("deadline is when it fails with ExecutionTimeout."),
  })
  .describe("CurrentPrompt is the prompt that is being processed.");

const RefusedChild = z
  .object({
    uid: text(64).describe("uid is the child Session's UID."),
    message: text(256).describe("message says which limit it met, at most 256 characters."),
  })
  .describe("RefusedChild is a child session that was not admitted.");

const ChildCost = z
  .object({
    uid: text(64).describe("uid is the child Session's UID."),
    costUsd: costUsd(48).describe("costUsd is what it and its own children have cost in US dollars."),
  })
  .describe("ChildCost is what a child session has cost.");

export const ChildSessions = z
  .object({
    admitted: atomicOf(z.array(text(64)).max(1_000)).describe(
      "admitted are the UIDs of all child sessions that were admitted, deleted ones too, in order; at most 1,000.",
    ),
    active: integer(0, 1_000).describe("active is the number of children at work."),
    working: atomicOf(z.array(text(64)).max(1_000))
      .optional()
      .describe(
        "working are the UIDs of the children at work, at most maxConcurrentChildSessions; prompts of other children wait.",
      ),
    costs: atomicOf(z.array(ChildCost).max(1_000))
      .optional()
      .describe(
        "costs are what children have cost, deleted ones too, at most 1,000; the family shares its root session's maxSessionCostUsd.",
      ),
    refused: atomicOf(z.array(RefusedChild).max(100))
      .optional()
      .describe("refused are refused children whose own status does not show it yet, at most 100."),
  })
  .describe("ChildSessions are the sessions that this one has started.");
export type ChildSessions = z.infer<typeof ChildSessions>;

export const SessionStatus = z
  .object({
    ...observed,
    sandbox: Sandbox.optional().describe("sandbox is the current or last sandbox."),
    startFailures: atomicOf(z.array(Time).max(3))
      .optional()
      .describe("startFailures are the latest failed sandbox starts, at most 3."),
    queue: atomicOf(z.array(text(64)).max(50))
      .optional()
      .describe("queue lists the UIDs of admitted unfinished prompts in order, at most 50."),
    currentPrompt: CurrentPrompt.optional().describe("currentPrompt is the prompt that is being processed."),
    children: ChildSessions.optional().describe("children are the sessions that this one has started."),
    promptsEnded: integer(0, 1_000_000).optional().describe("promptsEnded is the number of prompts that have ended."),
    costUsd: costUsd(48)
      .optional()
      .describe(
        "costUsd is what the session has cost in US dollars, as far as its agent reported it; while a prompt is processed it follows within 2 minutes. Child sessions are not included.",
      ),
    idleSince: Time.optional().describe("idleSince is when the session last had no prompt left."),
    executionTimeoutMs: integer(1)
      .optional()
      .describe("executionTimeoutMs is the execution budget of each prompt in milliseconds, fixed at creation."),
    lifetimeMs: integer(1)
      .optional()
      .describe(
        "lifetimeMs is the lifetime of each sandbox in milliseconds, fixed at creation; absent means no limit.",
      ),
    settings: SessionSettings.optional().describe(
      "settings are the settings in effect, merged at creation from operator, class, Repository, Environment and Session. Later changes have no effect, except to the Session's own maxSessionCostUsd.",
    ),
    settingOrigins: SettingOrigins,
    repositories: atomicOf(z.array(LabelName).max(10))
      .optional()
      .describe(
        "repositories are the names of the Repositories that its sandboxes work on, the primary one first, at most 10; fixed at creation, also where the Environment's list changes.",
      ),
    skills: SessionSkills.optional().describe(
      "skills are the Skills that its sandboxes get, as they were when the first one was created; left out where it has none.",
    ),
    snapshot: Snapshot.optional().describe("snapshot is the workspace that the next sandbox begins with."),
    prebuiltImage: SessionImage.optional().describe(
      "prebuiltImage is the prebuilt image that the last sandbox without a saved workspace began with, or why it began without; left out where no PrebuiltImage is kept of the session's target and class.",
    ),
    nextDeadline: NextDeadline.optional().describe("nextDeadline is the next time limit that will be reached."),
    result: Result.optional().describe("result is what the last ended prompt reported."),
  })
  .describe("SessionStatus is what was observed.");
export type SessionStatus = z.infer<typeof SessionStatus>;

export const Session = defineKind({
  kind: "Session",
  plural: "sessions",
  shortNames: ["rwsess"],
  namespaced: true,
  description: "Session is one coding-agent conversation on one target, in one sandbox at a time.",
  spec: SessionSpec,
  status: SessionStatus,
  columns: [
    conditionColumn("Ready", "Ready", "status"),
    conditionColumn("Reason", "Ready", "reason"),
    column("Prompt", ".status.currentPrompt.name", "The prompt that is being processed."),
    column("Pod", ".status.sandbox.podName", "The current or last sandbox pod."),
    column("Cost", ".status.costUsd", "The cost of its prompts in US dollars."),
    column("Children", ".status.children.active", "Child sessions that have not ended.", {
      type: "integer",
      priority: 1,
    }),
    column("Deadline", ".status.nextDeadline.time", "The next time limit that will be reached.", { priority: 1 }),
    ageColumn,
    conditionColumn("Message", "Ready", "message"),
  ],
});
export type Session = ObjectOf<typeof SessionSpec, typeof SessionStatus>;
