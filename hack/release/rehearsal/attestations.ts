import { createHash } from "node:crypto";

/** A blob, as manifests and indexes refer to it. */
export interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  annotations?: Record<string, string>;
  platform?: { architecture: string; os: string };
}

/** A blob with its descriptor. */
export interface Blob {
  content: Buffer;
  descriptor: Descriptor;
}

/** What an attestation says of an image: the type of the statement, and the statement. */
export interface Predicate {
  type: string;
  content: object;
}

export const manifestType = "application/vnd.oci.image.manifest.v1+json";
const indexType = "application/vnd.oci.image.index.v1+json";

/** A JSON document as a blob. */
export function jsonBlob(mediaType: string, document: object): Blob {
  const content = Buffer.from(JSON.stringify(document));
  const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
  return { content, descriptor: { mediaType, digest, size: content.byteLength } };
}

/**
 * The attestation of one image in BuildKit's form: a manifest whose layers are in-toto statements of that image. The manifest is the
 * last of the blobs, and its descriptor names the image.
 */
export function attestationOf(image: Descriptor, name: string, predicates: readonly Predicate[]): Blob[] {
  const subject = [{ name, digest: { sha256: image.digest.replace("sha256:", "") } }];
  const statements = predicates.map(({ type, content }) => {
    const statement = { _type: "https://in-toto.io/Statement/v0.1", predicateType: type, subject, predicate: content };
    const blob = jsonBlob("application/vnd.in-toto+json", statement);
    return { ...blob, descriptor: { ...blob.descriptor, annotations: { "in-toto.io/predicate-type": type } } };
  });
  const platform = { architecture: "unknown", os: "unknown" };
  const config = jsonBlob("application/vnd.oci.image.config.v1+json", {
    ...platform,
    config: {},
    rootfs: { type: "layers", diff_ids: statements.map(({ descriptor }) => descriptor.digest) },
  });
  const layers = statements.map(({ descriptor }) => descriptor);
  const manifest = jsonBlob(manifestType, {
    schemaVersion: 2,
    mediaType: manifestType,
    config: config.descriptor,
    layers,
  });
  const annotations = {
    "vnd.docker.reference.digest": image.digest,
    "vnd.docker.reference.type": "attestation-manifest",
  };
  return [...statements, config, { ...manifest, descriptor: { ...manifest.descriptor, platform, annotations } }];
}

/** The index of an image for several platforms and their attestations. */
export function indexOf(manifests: readonly Descriptor[]): Blob {
  return jsonBlob(indexType, { schemaVersion: 2, mediaType: indexType, manifests });
}
