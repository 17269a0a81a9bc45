import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

import { CommandError, run } from "../../lib/command.ts";
import type { Descriptor } from "./attestations.ts";

/** A release, as people find it. */
export interface Published {
  /** Registry and owner, such as `127.0.0.1:5000/acme`. */
  registry: string;
  version: string;
  /** Folder with the files of the release. */
  files: string;
  /** Path of the public key that signatures are checked with. */
  key: string;
}

/** Checks all signatures, what the images' indexes name, and the files' digests; gives what it found, a line each. */
export async function examine(release: Published, cosign: string, folder: string): Promise<string[]> {
  const { registry, version, files, key } = release;
  const found: string[] = [];
  const offline = ["--insecure-ignore-tlog=true", "--key"];
  await mkdir(folder);
  await run(cosign, ["generate-key-pair"], { cwd: folder, env: { COSIGN_PASSWORD: "" } });
  for (const name of ["runwright", "runwright-sandbox", "charts/runwright"]) {
    const reference = `${registry}/${name}:${version}`;
    await run(cosign, ["verify", ...offline, key, reference]);
    await refuses(() => run(cosign, ["verify", ...offline, join(folder, "cosign.pub"), reference]), reference);
    found.push(`${name}:${version} is signed, and not by another key`);
  }
  for (const name of ["runwright", "runwright-sandbox"]) {
    const manifests = await manifestsOf(`${registry}/${name}`, version);
    const platforms = manifests.filter(({ platform }) => platform?.os === "linux");
    for (const { digest, platform } of platforms) {
      const reference = `${registry}/${name}@${digest}`;
      await run(cosign, ["verify", ...offline, key, reference]);
      const said = await attested(`${registry}/${name}`, manifests, digest);
      found.push(`${name} for linux/${platform?.architecture} is signed and has ${said.join(" and ")}`);
    }
  }
  const bundle = ["--bundle", "SHA256SUMS.sigstore.json", "SHA256SUMS"];
  await run(cosign, ["verify-blob", ...offline, key, ...bundle], { cwd: files });
  await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: files });
  found.push(`SHA256SUMS is signed and right for ${(await readdir(files)).sort().join(", ")}`);
  return found;
}

async function refuses(work: () => Promise<unknown>, reference: string): Promise<void> {
  const isRefused = await work().then(
    () => false,
    (error: unknown) => error instanceof CommandError,
  );
  if (!isRefused) throw new Error(`${reference} is taken for signed by a key that did not sign it`);
}

async function manifestsOf(repository: string, version: string): Promise<Descriptor[]> {
  return (await inspect<{ manifests: Descriptor[] }>(`${repository}:${version}`)).manifests;
}

/** The types of what the index attests about one of its images; throws unless it has an SBOM and a provenance. */
async function attested(repository: string, manifests: readonly Descriptor[], digest: string): Promise<string[]> {
  const attestation = manifests.find(({ annotations }) => annotations?.["vnd.docker.reference.digest"] === digest);
  if (attestation === undefined) throw new Error(`${repository}@${digest} has no attestation`);
  const { layers } = await inspect<{ layers: Descriptor[] }>(`${repository}@${attestation.digest}`);
  const types = layers.map(({ annotations }) => annotations?.["in-toto.io/predicate-type"] ?? "");
  for (const type of ["https://spdx.dev/Document", "https://slsa.dev/provenance/v1"]) {
    if (!types.includes(type)) throw new Error(`${repository}@${digest} has no ${type}`);
  }
  return types;
}

async function inspect<T>(reference: string): Promise<T> {
  return JSON.parse(await run("skopeo", ["inspect", "--raw", "--tls-verify=false", `docker://${reference}`])) as T;
}
