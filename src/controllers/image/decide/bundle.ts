import { attemptName, labels } from "../../../api/v1alpha1/names.ts";
import type { BundleBuild } from "../../../api/runtime/build.ts";
import type { PrebuiltImageStatus } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { ImageCommit } from "../../../api/v1alpha1/session.ts";
import { makeStart, type StartConfig } from "../../sandbox/start/make-start.ts";
import type { ImageEffect } from "../effects.ts";
import type { ImageFacts } from "../facts.ts";
import { imageAsOwner } from "../../sandbox/images/owner.ts";
import { inputsDigest, failuresAhead } from "./backoff.ts";
import { commitsToCompare } from "./rebuild.ts";

/** Whether the current build waits for its bundle. */
export function isBundleDue({ image, secrets, lease }: Pick<ImageFacts, "image" | "secrets" | "lease">): boolean {
  const { build, sandbox } = image.status ?? {};
  if (!build || !sandbox || lease || build.step === "Saving" || sandbox.connectTime !== undefined) return false;
  const name = attemptName(image.metadata.uid ?? "", sandbox.attempt);
  return !secrets.some((secret) => secret.name === name);
}

/** Stores the bundle of the build, whose number is stored and whose secrets were read after that. */
export function bundleEffects(facts: ImageFacts, now: Date, start: StartConfig): ImageEffect[] {
  const { image, live } = facts;
  const { build, sandbox } = image.status ?? {};
  if (!build || !sandbox || !live || !isBundleDue(facts)) return [];
  const isCheck = build.step === "Checking";
  const unless = isCheck ? { unless: [...unlessOf(image.status ?? {}, live.secretsMAC, now)] } : {};
  const wanted: BundleBuild = { timeoutSeconds: build.timeoutSeconds, ...unless };
  return makeStart(start, imageAsOwner(image, wanted), sandbox.attempt, live).flatMap((effect): ImageEffect[] => {
    if (effect.kind !== "createBundle") return [];
    const { metadata } = effect.secret;
    // Compared when the build ends: it is stored with what it was made of.
    const marked = { ...metadata.labels, [labels.secretsMac]: live.secretsMAC };
    return [{ ...effect, secret: { ...effect.secret, metadata: { ...metadata, labels: marked } } }];
  });
}

/** The commits at which a check finds nothing to do. */
function unlessOf(
  { image, failures, build }: PrebuiltImageStatus,
  secretsMAC: string,
  now: Date,
): readonly ImageCommit[] {
  const ahead = build && failuresAhead(failures, { inputs: inputsDigest(build), secretsMAC }, now);
  return commitsToCompare(ahead, image);
}
