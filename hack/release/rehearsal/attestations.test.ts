import { createHash } from "node:crypto";

import { expect, it } from "vitest";

import { attestationOf, indexOf } from "./attestations.ts";

const image = { mediaType: "application/vnd.oci.image.manifest.v1+json", digest: `sha256:${"a".repeat(64)}`, size: 7 };
const predicates = [
  { type: "https://spdx.dev/Document", content: { packages: [] } },
  { type: "https://slsa.dev/provenance/v1", content: { runDetails: {} } },
];
const blobs = attestationOf(image, "pkg:docker/example:1", predicates);
const read = (content: Buffer | undefined): unknown => JSON.parse(content?.toString() ?? "");

it("is about the image, by its digest", () => {
  const [sbom] = blobs;
  expect(read(sbom?.content)).toEqual({
    _type: "https://in-toto.io/Statement/v0.1",
    predicateType: "https://spdx.dev/Document",
    subject: [{ name: "pkg:docker/example:1", digest: { sha256: "a".repeat(64) } }],
    predicate: { packages: [] },
  });
  expect(blobs.at(-1)?.descriptor.annotations).toEqual({
    "vnd.docker.reference.digest": image.digest,
    "vnd.docker.reference.type": "attestation-manifest",
  });
});

it("refers to each blob by its digest and size, and to no platform that a node would choose", () => {
  for (const { content, descriptor } of blobs) {
    expect(descriptor.digest).toBe(`sha256:${createHash("sha256").update(content).digest("hex")}`);
    expect(descriptor.size).toBe(content.byteLength);
  }
  const { layers, config } = read(blobs.at(-1)?.content) as { layers: unknown; config: unknown };
  expect(layers).toEqual(blobs.slice(0, 2).map(({ descriptor }) => descriptor));
  expect(config).toEqual(blobs[2]?.descriptor);
  expect(blobs.at(-1)?.descriptor.platform).toEqual({ architecture: "unknown", os: "unknown" });
});

it("stands in the index beside its image", () => {
  const manifests = [{ ...image, platform: { architecture: "amd64", os: "linux" } }, blobs.at(-1)!.descriptor];
  expect((read(indexOf(manifests).content) as { manifests: unknown }).manifests).toEqual(manifests);
});
