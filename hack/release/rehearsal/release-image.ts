import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

import type { Images } from "../../images/images.ts";
import { buildah } from "../../images/buildah.ts";
import { cacheDirectory } from "../../lib/cache.ts";
import { run } from "../../lib/command.ts";
import { withLock } from "../../lib/lock.ts";
import type { Progress } from "../../lib/progress.ts";
import { attestationOf, indexOf, type Descriptor, type Predicate } from "./attestations.ts";
import { writeArm64Node } from "./node-files.ts";
import { addToLayout, readReference } from "./oci-layout.ts";
import type { Origin } from "./sources.ts";

/** What one image of a release is made of. */
export interface ReleaseImage {
  target: keyof Images;
  /** Such as `127.0.0.1:5000/acme/runwright:0.1.0`. */
  tag: string;
  /** Such as `linux/amd64`. */
  platforms: readonly string[];
  /** The images that the checkout's own code built for this machine. */
  built: Images;
  origin: Origin;
  checkout: string;
  /** Folder of this rehearsal. */
  folder: string;
}

/**
 * Pushes the image with an SBOM and a provenance for each platform, as BuildKit does, and gives the digest of its index. Throws on a
 * platform that it cannot be made for here.
 */
export async function pushReleaseImage(image: ReleaseImage, progress: Progress): Promise<string> {
  const { target, tag, platforms, built, folder } = image;
  const layout = join(folder, `image-${target}`);
  await mkdir(layout);
  const makers: Record<string, () => Promise<unknown>> = {
    "linux/amd64": () =>
      run("skopeo", ["copy", "--quiet", `docker-archive:${built[target].archive}`, `oci:${layout}:amd64`]),
    ...(target === "operator" && { "linux/arm64": () => buildForArm64(image, layout, progress) }),
  };
  const architectures: string[] = [];
  for (const platform of platforms) {
    const make = makers[platform];
    if (make === undefined) throw new Error(`the ${target} image is not made for ${platform} here`);
    await make();
    architectures.push(platform.replace("linux/", ""));
  }
  const sbom = await sbomOf(image.checkout);
  const manifests: Descriptor[] = [];
  const attestations: Descriptor[] = [];
  for (const architecture of architectures) {
    const found = await readReference(layout, architecture);
    const predicates = [sbom, provenanceOf(image, architecture)];
    const attestation = attestationOf(found, `pkg:docker/${tag}`, predicates);
    await addToLayout(layout, attestation, `attestation-${architecture}`);
    manifests.push({ ...found, platform: { architecture, os: "linux" } });
    attestations.push(...attestation.slice(-1).map(({ descriptor }) => descriptor));
  }
  const index = indexOf([...manifests, ...attestations]);
  await addToLayout(layout, [index], "release");
  const copy = ["copy", "--quiet", "--all", "--preserve-digests", "--dest-tls-verify=false"];
  await run("skopeo", [...copy, `oci:${layout}:release`, `docker://${tag}`]);
  await rm(layout, { recursive: true });
  return index.descriptor.digest;
}

/** Builds the Dockerfile's last stage over files for arm64: none of its instructions runs a program. */
async function buildForArm64({ checkout, folder }: ReleaseImage, layout: string, progress: Progress): Promise<void> {
  const node = join(folder, "node-arm64");
  await writeArm64Node(node, progress);
  const name = "localhost/runwright-rehearsal-arm64";
  const options = ["--quiet", "--pull-never", "--timestamp=0", "--layers=false", "--platform", "linux/arm64"];
  const values = ["--build-arg", "BUNDLES=prebuilt", "--build-context", `node=${node}`, "--target", "operator"];
  await withLock(join(cacheDirectory(), "images", "build.lock"), progress, async () => {
    await buildah(["build", ...options, ...values, "--tag", name, checkout]);
    await buildah(["push", "--quiet", name, `oci:${layout}:arm64`]);
    await buildah(["rmi", "--force", name]);
  });
  await rm(node, { recursive: true });
}

/** The locked packages that the programs are bundled from, by npm. */
async function sbomOf(checkout: string): Promise<Predicate> {
  const sbom = ["sbom", "--package-lock-only", "--omit=dev", "--sbom-format=spdx"];
  return {
    type: "https://spdx.dev/Document",
    content: JSON.parse(await run("npm", sbom, { cwd: checkout })) as object,
  };
}

function provenanceOf({ target, origin }: ReleaseImage, architecture: string): Predicate {
  const source = { uri: `git+${origin.repository}@refs/tags/${origin.tag}`, digest: { gitCommit: origin.commit } };
  return {
    type: "https://slsa.dev/provenance/v1",
    content: {
      buildDefinition: {
        buildType: "urn:runwright:rehearsal:v1",
        externalParameters: { dockerfile: "Dockerfile", target, platform: `linux/${architecture}` },
        resolvedDependencies: [source],
      },
      runDetails: { builder: { id: "urn:runwright:rehearsal" } },
    },
  };
}
