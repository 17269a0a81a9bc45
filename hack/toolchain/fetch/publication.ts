/** A machine that publishers build for, by Go's names. */
export type Platform = "linux-amd64" | "linux-arm64" | "darwin-amd64" | "darwin-arm64";

/** A release of programs of others: where it is, and by which digests it is known. */
export interface Publication {
  /** What people see, for example `helm 3.22.0`. */
  title: string;
  version: string;
  /** The publisher's own list that the digests are from, and where it was read. */
  source: string;
  url: (platform: Platform) => string;
  algorithm: "sha256" | "sha512";
  /** Hexadecimal digests of what is downloaded. A platform without one is not downloaded for. */
  digests: Readonly<Partial<Record<Platform, string>>>;
  /** Programs by name, each with its path in the .tar.gz archive; `"download"` where the download is the program. */
  programs: (platform: Platform) => Readonly<Record<string, string>>;
}

/** Stands in {@link Publication.programs} for the whole download. */
export const wholeDownload = "download";

/** This machine by Go's names, whether or not a publisher has anything for it. */
export function thisPlatform(): string {
  return `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
}

/** Whether a platform has a digest in the publication. */
export function isPublishedFor(publication: Publication, platform: string): platform is Platform {
  return Object.hasOwn(publication.digests, platform);
}
