import type { ReasonMeaning } from "./meaning.ts";

/** Meanings of what becomes of prebuilt images, and of what sandboxes and objects are at. */
export const imagesMeanings = {
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
    means: "A setup.sh failed. That ends a build; a session goes on without what it would have done.",
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
