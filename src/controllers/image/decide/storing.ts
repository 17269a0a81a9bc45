import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { BuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { ImageFacts, LiveInputs } from "../facts.ts";
import { type BuildInputs, hasInputs } from "./backoff.ts";
import { withSecretFiles } from "./conditions.ts";
import { type Building, completeBuild, type JudgedBuild, supersedeBuild } from "./ending.ts";
import { bundledMac, storingNote } from "./reports.ts";

/** What has changed since a build began. */
interface Change {
  reason: string;
  message: string;
}

/** Whether all is known but whether what the image was built from is as it was. */
export function isToCompare(facts: ImageFacts): boolean {
  const { build, sandbox } = facts.image.status ?? {};
  if (!build || !sandbox || build.step !== "Saving") return false;
  return storingNote(facts, { build, sandbox })?.bytes !== undefined;
}

/** The build once its archive is stored: an image where what it was built from is as it was, else superseded. */
export function judgeStored(facts: ImageFacts, status: Building, now: Date): JudgedBuild {
  const { live, obstacle } = facts;
  const stored = storedImage(facts, status, now);
  if (!stored) return { status };
  if (obstacle?.kind === "refused") return supersede(facts, status, obstacle.refusal, now);
  if (!live) return { status };
  const change = changeSince(status, live, bundledMac(facts, status));
  if (change) return supersede(facts, status, change, now);
  const { secretFiles: files = [], secretFileCount: count = 0 } = facts.lease?.built ?? {};
  const done = completeBuild(facts.image, status, { ...stored, secretsMAC: live.secretsMAC }, now);
  const at = { now, generation: facts.image.metadata.generation };
  const note = `Build ${stored.build} is stored, ${stored.bytes} bytes`;
  return {
    status: withSecretFiles(done, { files, count }, at),
    event: { type: "Normal", reason: reasons.built, note },
  };
}

function storedImage(facts: ImageFacts, status: Building, now: Date): Omit<BuiltImage, "secretsMAC"> | undefined {
  const { archive, digest, bytes } = storingNote(facts, status) ?? {};
  const built = facts.lease?.built;
  if (!built || archive === undefined || digest === undefined || bytes === undefined) return undefined;
  const { number: build, fingerprint, classImage } = status.build;
  const { commits, runtimeVersion, architecture } = built;
  const time = now.toISOString();
  return { build, archive, digest, bytes, fingerprint, commits, runtimeVersion, classImage, architecture, time };
}

function changeSince(status: Building, live: LiveInputs, bundled: string | undefined): Change | undefined {
  const change = inputsChange(status, live);
  if (change || live.secretsMAC === bundled) return change;
  return { reason: "SecretsChanged", message: "secrets have changed since the build began" };
}

/** What of repositories and class is no longer as it was when the build took its number. */
export function inputsChange({ build }: Pick<Building, "build">, live: BuildInputs): Change | undefined {
  if (hasInputs(build, live)) return undefined;
  return { reason: "RepositoriesChanged", message: "the Repositories or the class's container image have changed" };
}

/** The build, which is not used for what has changed. */
export function supersede({ image }: ImageFacts, status: Building, change: Change, now: Date): JudgedBuild {
  const note = `Build ${status.build.number} is not used: ${change.message}`;
  return {
    status: supersedeBuild(image, status, change, now),
    event: { type: "Normal", reason: reasons.superseded, note },
  };
}
