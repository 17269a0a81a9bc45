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
  matching,
  ServiceAccountName,
  text,
  Time,
  withTransitionRule,
} from "./schema.ts";
import { Sandbox } from "./session-sandbox.ts";
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
      .enum(["Missing", "Damaged", "Refused"])
      .optional()
      .describe(
        "problem is why no sandbox begins with it: Missing from the blob store, Damaged, so not what was saved, or Refused by the sandbox, as no save could have written it.",
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
    repository: text(63).describe("repository is which Repository of the namespace was cloned."),
    commit: matching(text(64), /^[0-9a-f]{40}([0-9a-f]{24})?$/, "must be 40 or 64 hexadecimal digits").describe(
      "commit is the full id of the commit.",
    ),
  })
  .describe("ImageCommit is the commit of one Repository.");
export type ImageCommit = z.infer<typeof ImageCommit>;

export const ImageCommits = atomicOf(z.array(ImageCommit).max(10));

export const SessionImage = z
  .object({
    name: text(63).describe("name is the PrebuiltImage of the session's target and class."),
    uid: text(64).describe("uid tells the PrebuiltImage from a later one of the same name."),
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
      .enum(["Missing", "Damaged", "Refused", "Unreachable"])
      .optional()
      .describe(
        "problem is why the sandbox began without the image after all: Missing from the blob store, Damaged, so not what was stored, Refused by the sandbox, as no build could have written it, or Unreachable, as the blob store did not give it for 30 seconds.",
      ),
  })
  .describe("SessionImage is the prebuilt image of a session's target and class.");
export type SessionImage = z.infer<typeof SessionImage>;

export const CurrentPrompt = z
  .object({
    name: text(63).describe("name is the Prompt that the agent works on."),
    uid: text(64).describe("uid tells the Prompt from a later one of the same name."),
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
        "costs are what children have cost, deleted ones too, at most 1,000; of more, those that are gone are one entry with the UID gone. The family shares its root session's maxSessionCostUsd.",
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
    idleSince: Time.optional().describe(
      "idleSince is when the session last had no prompt left, or its sandbox was last used through a tunnel of the gateway, to the minute.",
    ),
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
