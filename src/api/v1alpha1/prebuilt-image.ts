import { z } from "zod";
import { observed } from "./conditions.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { sandboxAccountName } from "./names.ts";
import {
  atomicOf,
  integer,
  LabelName,
  LocalReference,
  ServiceAccountName,
  text,
  Time,
  withRule,
  withTransitionRule,
} from "./schema.ts";
import { Sandbox } from "./session-sandbox.ts";
import { ImageCommits } from "./session.ts";

/** What a PrebuiltImage is built with, and the field of Repository and Environment that makes one. */
export const prebuildFields = {
  sandboxClassName: LabelName.describe(
    "sandboxClassName names the SandboxClass whose sandboxes begin with the image, at most 63 characters.",
  ),
  serviceAccountName: ServiceAccountName.default(sandboxAccountName).describe(
    "serviceAccountName is the ServiceAccount under which builds run and whose rights are checked. It must not be default, and the author must be allowed to impersonate it unless it is runwright-sandbox. At most 253 characters. Defaults to runwright-sandbox.",
  ),
};

export const Prebuild = z
  .object(prebuildFields)
  .describe("Prebuild has the controller keep a PrebuiltImage of the object, as if it were written by hand.");
export type Prebuild = z.infer<typeof Prebuild>;

const unchangedReference = (field: string): string =>
  `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`;

export const PrebuiltImageSpec = withTransitionRule(
  withRule(
    z
      .object({
        repositoryRef: LocalReference.optional().describe(
          "repositoryRef names the Repository whose sessions begin with the image. It cannot change.",
        ),
        environmentRef: LocalReference.optional().describe(
          "environmentRef names the Environment whose sessions begin with the image. It cannot change.",
        ),
        ...prebuildFields,
        suspend: z
          .boolean()
          .default(false)
          .describe("suspend stops builds and has sessions begin without the image. Defaults to false."),
      })
      .describe("PrebuiltImageSpec is the wanted state."),
    {
      message: "exactly one of repositoryRef and environmentRef must be set",
      cel: "has(self.repositoryRef) != has(self.environmentRef)",
      check: ({ repositoryRef, environmentRef }) => (repositoryRef === undefined) !== (environmentRef === undefined),
    },
  ),
  {
    message: "repositoryRef and environmentRef cannot change; create another PrebuiltImage",
    cel: `${unchangedReference("repositoryRef")} && ${unchangedReference("environmentRef")}`,
  },
);
export type PrebuiltImageSpec = z.infer<typeof PrebuiltImageSpec>;

const BuildNumber = integer(1, 1_000_000);
const Digest = text(71);

export const BuiltImage = z
  .object({
    build: BuildNumber.describe("build is the number of the build that made it."),
    archive: text(63).describe("archive is the name of the archive in the blob store."),
    digest: Digest.describe("digest is the SHA-256 of the archive, such as sha256:2c26…."),
    bytes: integer(0).describe("bytes is the size of the archive."),
    fingerprint: Digest.describe(
      "fingerprint is the SHA-256 of what it was cloned from: the object, its Repositories in order, where their URLs lead, their branches and clone options.",
    ),
    commits: ImageCommits.describe("commits are the commits that were checked out, the primary Repository's first."),
    runtimeVersion: integer(1, 1_000_000).describe("runtimeVersion is the version of images that the runtime makes."),
    classImage: text(1_024).describe("classImage is the container image that setup.sh ran in."),
    architecture: text(63).describe("architecture is the processor architecture, such as amd64."),
    secretsMAC: text(64).describe(
      "secretsMAC is a keyed hash of the secrets that setup.sh had; sessions with other values do not begin with the image.",
    ),
    time: Time.describe("time is when the image was stored."),
  })
  .describe("BuiltImage is a stored image.");
export type BuiltImage = z.infer<typeof BuiltImage>;

const PreviousImage = z
  .object({
    build: BuildNumber.describe("build is the number of the build that made it."),
    archive: text(63).describe("archive is the name of the archive in the blob store."),
    supersededTime: Time.describe("supersededTime is when another image replaced it; it is deleted an hour later."),
  })
  .describe("PreviousImage is the image before the current one.");

/** Why a build was started, in the order in which reasons count. */
export const buildReasons = [
  "MissingImage",
  "OutdatedRuntime",
  "SecretsChanged",
  "RebuildRequested",
  "Retry",
  "NewCommits",
] as const;
export type BuildReason = (typeof buildReasons)[number];

const CurrentBuild = z
  .object({
    number: BuildNumber.describe("number counts the builds; the pod's name ends with it."),
    step: z
      .enum(["Checking", "Building", "Saving"])
      .describe(
        "step is Checking (the pod looks for new commits and builds only where there are some), Building (clone and setup.sh) or Saving.",
      ),
    reason: z.enum(buildReasons).describe("reason is why it was started; NewCommits is what a check looks for."),
    fingerprint: Digest.describe("fingerprint is that of what is being cloned."),
    classImage: text(1_024).describe("classImage is the container image of its pod."),
    timeoutSeconds: integer(1, 3_600).describe(
      "timeoutSeconds is the time for clone and setup.sh together, from the start of the container; storing has 600 seconds more.",
    ),
    deadline: Time.optional().describe(
      "deadline is when the build fails at the latest, known once its container runs.",
    ),
    wanted: z
      .boolean()
      .optional()
      .describe("wanted is true when what it clones has changed since, so that another build follows at once."),
  })
  .describe("CurrentBuild is the check or build that goes on.");
export type CurrentBuild = z.infer<typeof CurrentBuild>;

const EndedBuild = z
  .object({
    number: BuildNumber.describe("number counts the builds of this image from 1, in the order in which they began."),
    result: z
      .enum(["Ready", "Failed", "Superseded"])
      .describe("result is Ready, Failed, or Superseded (what it was built from changed meanwhile)."),
    reason: text(64).describe("reason is why it was started or, where it failed, why it failed."),
    startTime: Time.describe("startTime is when its pod was created."),
    endTime: Time.describe("endTime is when it ended."),
  })
  .describe("EndedBuild is a build that has ended; checks that found nothing are left out.");
export type EndedBuild = z.infer<typeof EndedBuild>;

const BuildFailures = z
  .object({
    count: integer(1, 1_000_000).describe("count is how many builds in a row have failed with the same inputs."),
    reason: text(64).describe("reason is why the last one failed."),
    message: text(1_024).describe("message explains it, at most 1,024 characters."),
    inputs: Digest.describe(
      "inputs is the SHA-256 of what they were built from and in; with other inputs the count starts anew.",
    ),
    secretsMAC: text(64).optional().describe("secretsMAC is a keyed hash of the secrets that the last one had."),
    commits: ImageCommits.optional().describe(
      "commits are the commits that the last one would have built, as far as it came to know them; other commits are built at once.",
    ),
    retryTime: Time.describe(
      "retryTime is when the same inputs are built again: 30 minutes after the first failure, then after twice as long each time, up to 24 hours.",
    ),
  })
  .describe("BuildFailures are the failures since the last success.");
export type BuildFailures = z.infer<typeof BuildFailures>;

/** The attempt of the current or last build; a build has no prompts, costs or tunnels. */
const BuildSandbox = Sandbox.pick({
  attempt: true,
  podName: true,
  podUID: true,
  createTime: true,
  containerStartTime: true,
  connectTime: true,
  phase: true,
  readyTime: true,
  snapshotTime: true,
  snapshotTry: true,
  maxUnsavedSeconds: true,
  workspaceLimitBytes: true,
  endTime: true,
  endReason: true,
}).describe("BuildSandbox is the sandbox of the current or last build; attempt is the build's number.");

export const PrebuiltImageStatus = z
  .object({
    ...observed,
    scope: text(127).optional().describe("scope is what the image is of: kind and name such as Repository/web."),
    image: BuiltImage.optional().describe("image is the image that sessions begin with."),
    previous: PreviousImage.optional().describe("previous is the image before it, kept for an hour."),
    build: CurrentBuild.optional().describe("build is the check or build that goes on."),
    sandbox: BuildSandbox.optional().describe("sandbox is the sandbox of the current or last build."),
    failures: BuildFailures.optional().describe("failures are the failed builds since the last success."),
    builds: atomicOf(z.array(EndedBuild).max(10))
      .optional()
      .describe("builds are the last builds that have ended, the latest first, at most 10."),
    nextCheckTime: Time.optional().describe(
      "nextCheckTime is when the branches are looked at next: every 30 minutes, offset by the object's UID.",
    ),
    rebuildRequestedAt: text(256)
      .optional()
      .describe(
        "rebuildRequestedAt is the last value of the annotation runwright.dev/rebuild-requested-at that counted.",
      ),
  })
  .describe("PrebuiltImageStatus is what was observed.");
export type PrebuiltImageStatus = z.infer<typeof PrebuiltImageStatus>;

export const PrebuiltImage = defineKind({
  kind: "PrebuiltImage",
  plural: "prebuiltimages",
  shortNames: ["rwimage"],
  namespaced: true,
  description:
    "PrebuiltImage keeps a workspace and a home in which a Repository or Environment is cloned and setup.sh has run, for sessions to begin with.",
  spec: PrebuiltImageSpec,
  status: PrebuiltImageStatus,
  columns: [
    column("Scope", ".status.scope", "What the image is of."),
    conditionColumn("Ready", "Ready", "status"),
    conditionColumn("Reason", "Ready", "reason"),
    column("Doing", ".status.build.step", "Checking, Building or Saving; empty for nothing."),
    column("Commit", ".status.image.commits[0].commit", "The commit of the primary Repository."),
    column("Built", ".status.image.time", "Time since the image was stored.", { type: "date" }),
    column("Bytes", ".status.image.bytes", "The size of the archive.", { type: "integer" }),
    column("Class", ".spec.sandboxClassName", "The SandboxClass.", { priority: 1 }),
    column("Next check", ".status.nextCheckTime", "When the branches are looked at next."),
    column("Failure", ".status.failures.reason", "Why the last build failed."),
    ageColumn,
    conditionColumn("Message", "Ready", "message"),
  ],
});
export type PrebuiltImage = ObjectOf<typeof PrebuiltImageSpec, typeof PrebuiltImageStatus>;
