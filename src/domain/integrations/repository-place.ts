import { type ClonePlace, clonePlace } from "../../api/v1alpha1/clone-url.ts";

/** Where a repository is, as its clone URL says. */
export interface RepositoryPlace extends Pick<ClonePlace, "hostname"> {
  /** `owner/name` in lower case. */
  fullName: string;
}

/** Hosts by which code hosts are reached, too, as where port 22 is closed. */
const otherHosts = new Map([
  ["ssh.github.com", "github.com"],
  ["www.github.com", "github.com"],
  ["altssh.gitlab.com", "gitlab.com"],
  ["altssh.bitbucket.org", "bitbucket.org"],
]);

/** Owner and name are the path of a clone URL. */
export function repositoryPlace(url: string): RepositoryPlace {
  const { hostname, path } = clonePlace(url);
  return { fullName: path.toLowerCase(), hostname: otherHosts.get(hostname) ?? hostname };
}
