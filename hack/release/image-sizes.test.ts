import { expect, it } from "vitest";

import { imageSizes } from "./image-sizes.ts";

const image = "ghcr.io/acme/runwright@sha256:index";
const at = (digest: string, os: string, architecture: string): object => ({ digest, platform: { os, architecture } });
const both = [at("sha256:one", "linux", "amd64"), at("sha256:two", "linux", "arm64")];
const platforms = ["linux/amd64", "linux/arm64"];

function registry(manifests: object[], layers: object[]): (reference: string) => Promise<string> {
  const documents: Record<string, object> = {
    [image]: { manifests: [...manifests, at("sha256:sbom", "unknown", "unknown")] },
    "ghcr.io/acme/runwright@sha256:one": { layers: [{ size: 3 * 1_048_576 }, { size: 1_048_575 }] },
    "ghcr.io/acme/runwright@sha256:two": { layers },
  };
  return (reference) => Promise.resolve(JSON.stringify(documents[reference]));
}

it("says how large each platform's layers are, in whole MiB", async () => {
  await expect(imageSizes(image, platforms, registry(both, [{ size: 1_048_576 }]))).resolves.toBe(
    "`ghcr.io/acme/runwright@sha256:index`\n- linux/amd64: 3 MiB compressed\n- linux/arm64: 1 MiB compressed\n",
  );
});

it.each([
  ["a platform is missing", both.slice(0, 1), [], `${image} has no image for linux/arm64`],
  ["it is for one platform alone", [], [], `${image} has no image for linux/amd64`],
  ["a platform has no layers", both, [], "sha256:two, which is for linux/arm64, has no layers"],
])("fails where %s", async (_name, manifests, layers, want) => {
  await expect(imageSizes(image, platforms, registry(manifests, layers))).rejects.toThrow(want);
});
