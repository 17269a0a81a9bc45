import { type ClonePlace, clonePlace } from "../../api/v1alpha1/clone-url.ts";

/** Where a repository is, as its clone URL says. */
export interface RepositoryPlace extends Pick<ClonePlace, "hostname"> {
  /** `owner/name` in lower case. */
  fullName: string;
}

/** Owner and name are the path of a clone URL. */
export function repositoryPlace(url: string): RepositoryPlace {
  const { hostname, path } = clonePlace(url);
  return { fullName: path.toLowerCase(), hostname };
}
