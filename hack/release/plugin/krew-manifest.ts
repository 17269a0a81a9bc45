import { stringify } from "yaml";

import { platforms, type Platform } from "./executable.ts";

/** What the manifest of one release says. */
export interface KrewRelease {
  /** Without `v`, such as `1.2.0`. */
  version: string;
  /** Address of the repository, without a slash at its end. */
  homepage: string;
  /** Address of the folder with the archives, without a slash at its end. */
  downloads: string;
  /** SHA-256 of each platform's archive, 64 hexadecimal digits. */
  digests: Readonly<Record<Platform, string>>;
}

/** Name of a platform's archive. */
export function archiveName(platform: Platform): string {
  return `kubectl-runwright-${platform}.tar.gz`;
}

/**
 * The manifest from which krew installs the plugin, in version v1alpha2 of krew's format. Throws an error that names what is
 * wrong: krew itself refuses other versions and digests, and downloads over https alone are safe.
 */
export function krewManifest({ version, homepage, downloads, digests }: KrewRelease): string {
  check("the version", version, /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, "a semantic version without v");
  check(
    "the address of the downloads",
    downloads,
    /^https:\/\/[^/]+(\/[^/]+)*$/,
    "an https:// URL without / at its end",
  );
  return stringify(
    {
      apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
      kind: "Plugin",
      metadata: { name: "runwright" },
      spec: {
        version: `v${version}`,
        homepage,
        shortDescription: "Work with coding-agent runs of Runwright",
        description:
          "Starts Automations, talks to Sessions, explains webhooks and makes their keys, with your own permissions.",
        caveats: "To complete commands and names: kubectl runwright completion --help",
        platforms: (Object.keys(platforms) as Platform[]).map((platform) => {
          const [os, arch] = platform.split("-");
          check(`the digest of ${platform}`, digests[platform], /^[0-9a-f]{64}$/, "64 hexadecimal digits");
          return {
            selector: { matchLabels: { os, arch } },
            uri: `${downloads}/${archiveName(platform)}`,
            sha256: digests[platform],
            bin: "kubectl-runwright",
          };
        }),
      },
    },
    { lineWidth: 0 },
  );
}

function check(name: string, value: string, pattern: RegExp, what: string): void {
  if (!pattern.test(value)) throw new Error(`${name} is ${JSON.stringify(value)}, but it must be ${what}`);
}
