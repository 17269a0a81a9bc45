/** Where a repository is, as its clone URL says. */
export interface RepositoryPlace {
  /** `owner/name` in lower case. */
  fullName: string;
  hostname: string;
}

/** Owner and name are the path of a clone URL, which is `https://HOST/PATH`, `ssh://…` or `USER@HOST:PATH`. */
export function repositoryPlace(url: string): RepositoryPlace {
  const [, hostname = "", path = ""] = /^(?:[a-z]+:\/\/)?(?:[^@/]*@)?([^:/]+)(?::\d+)?[:/](.*)$/.exec(url) ?? [];
  const fullName = path.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
  return { fullName: fullName.toLowerCase(), hostname: hostname.toLowerCase() };
}
