import { type BundleImage, imageVersions, type ImageVersions } from "../../../api/runtime/build.ts";
import type { BuiltImage, PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import type { SessionImage } from "../../../api/v1alpha1/session.ts";
import type { KubeLog } from "../../../kube/ports.ts";
import type { AttemptOwner } from "../owner.ts";
import type { StartInputs } from "../start/inputs.ts";
import { type Fingerprint, imageFingerprint, isFingerprintOf } from "./fingerprint.ts";
import { imagesOf, scopeOfTarget } from "./scope.ts";
import type { SecretsMacKey } from "./secrets-mac.ts";

/** What a session's sandbox begins with, or why not with an image. */
export interface ChosenImage {
  shown: SessionImage;
  /** Of an image that is used. */
  used?: { bundle: BundleImage; architecture: string };
}

/** What an image must have been made for and from. */
export interface ImageWanted extends Fingerprint {
  classImage: string;
  /** The one that the class's pods are bound to, where they are. */
  architecture: string | undefined;
}

/** Why the image does not serve, as far as it can be judged without the values of secrets; undefined: it does. */
export function imageProblem(
  { spec, status }: Pick<PrebuiltImage, "spec" | "status">,
  wanted: ImageWanted,
  versions: ImageVersions = imageVersions,
): SessionImage["reason"] | undefined {
  const image = status?.image;
  if (spec.suspend) return "Suspended";
  if (!image) return "NoImage";
  if (image.runtimeVersion < versions.compatible) return "RuntimeOutdated";
  if (!isFingerprintOf(image.fingerprint, wanted)) return "RepositoriesChanged";
  if (image.classImage !== wanted.classImage) return "ClassImageChanged";
  if (wanted.architecture !== undefined && wanted.architecture !== image.architecture) return "OtherArchitecture";
  return undefined;
}

/** The label of Nodes with their processor architecture. */
export const architectureLabel = "kubernetes.io/arch";

/** What the images of a class's pods are made for. */
export function classWanted({ spec }: SandboxClass, defaultImage: string): Omit<ImageWanted, keyof Fingerprint> {
  return { classImage: spec.image ?? defaultImage, architecture: spec.nodeSelector?.[architectureLabel] };
}

export interface ImageChooserDeps {
  images: (namespace: string) => readonly PrebuiltImage[];
  macKey: Pick<SecretsMacKey, "macOf">;
  /** Of classes that name none. */
  defaultImage: string;
  log: KubeLog;
}

/**
 * The image that a sandbox begins with. A session is never refused for want of one: whatever stands in the way is its
 * reason. Undefined where nothing keeps an image of its target and class.
 */
export async function chooseImage(
  deps: ImageChooserDeps,
  owner: Pick<AttemptOwner, "metadata" | "spec">,
  inputs: StartInputs,
): Promise<ChosenImage | undefined> {
  const { namespace, name: session } = owner.metadata;
  const found = imageFor(deps, owner, inputs.sandboxClass);
  if (!found) return undefined;
  const of = { name: found.metadata.name ?? "", uid: found.metadata.uid ?? "" };
  const image = found.status?.image;
  const wanted = { ...classWanted(inputs.sandboxClass, deps.defaultImage), ...fingerprintOf(inputs) };
  const problem = imageProblem(found, wanted);
  if (problem !== undefined || !image) return { shown: { ...of, reason: problem ?? "NoImage" } };
  try {
    const isSame = (await deps.macKey.macOf(inputs.environment)) === image.secretsMAC;
    return isSame ? used(of, image) : { shown: { ...of, reason: "SecretsChanged", build: image.build } };
  } catch (error) {
    deps.log.warn({ err: error, namespace, session }, "Could not compare the secrets of a prebuilt image");
    return { shown: { ...of, reason: "LookupFailed" } };
  }
}

/** The fingerprint of what a sandbox with these inputs clones. */
export function fingerprintOf({ scopeUid, repositories }: Pick<StartInputs, "scopeUid" | "repositories">): Fingerprint {
  return imageFingerprint(scopeUid ?? "", repositories);
}

function imageFor(
  { images }: ImageChooserDeps,
  { metadata, spec }: Pick<AttemptOwner, "metadata" | "spec">,
  sandboxClass: SandboxClass,
): PrebuiltImage | undefined {
  const scope = scopeOfTarget(spec.target);
  return scope && imagesOf(images(metadata.namespace ?? ""), scope, sandboxClass.metadata.name ?? "")[0];
}

function used(of: { name: string; uid: string }, image: BuiltImage): ChosenImage {
  const { build, archive, digest, bytes, commits, architecture } = image;
  return {
    shown: { ...of, reason: "Used", build, archive, digest, bytes, commits },
    used: { bundle: { build, commits }, architecture },
  };
}
