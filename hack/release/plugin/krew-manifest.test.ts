import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { krewManifest } from "./krew-manifest.ts";

const digest = (digit: string): string => digit.repeat(64);
const downloads = "https://example.com/acme/runwright/releases/download/v1.2.0";
const release = {
  version: "1.2.0",
  homepage: "https://example.com/acme/runwright",
  downloads,
  digests: { "linux-amd64": digest("a"), "linux-arm64": digest("b") },
};

describe("krewManifest", () => {
  it("names each platform's archive by its digest, and no other platform", () => {
    const manifest = parse(krewManifest(release)) as { spec: { version: string; platforms: unknown } };
    expect(manifest).toMatchObject({
      apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
      kind: "Plugin",
      metadata: { name: "runwright" },
    });
    expect(manifest.spec.version).toBe("v1.2.0");
    expect(manifest.spec.platforms).toEqual(
      [
        { arch: "amd64", sha256: digest("a") },
        { arch: "arm64", sha256: digest("b") },
      ].map(({ arch, sha256 }) => ({
        selector: { matchLabels: { os: "linux", arch } },
        uri: `${downloads}/kubectl-runwright-linux-${arch}.tar.gz`,
        sha256,
        bin: "kubectl-runwright",
      })),
    );
  });

  it.each([
    { name: "a v before the version", given: { version: "v1.2.0" }, says: "the version" },
    { name: "http", given: { downloads: "http://example.com/a" }, says: "the address of the downloads" },
    { name: "a slash at the end", given: { downloads: `${downloads}/` }, says: "the address of the downloads" },
    {
      name: "63 digits",
      given: { digests: { ...release.digests, "linux-arm64": digest("b").slice(1) } },
      says: "the digest of linux-arm64",
    },
    {
      name: "65 digits",
      given: { digests: { ...release.digests, "linux-amd64": `${digest("a")}a` } },
      says: "the digest of linux-amd64",
    },
  ])("refuses $name", ({ given, says }) => {
    expect(() => krewManifest({ ...release, ...given })).toThrow(says);
  });
});
