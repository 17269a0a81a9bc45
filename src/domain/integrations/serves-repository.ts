import type { Integration } from "../../api/v1alpha1/index.ts";

/** Whether the events of an Integration of GitHub's, and what is done there, may be about a Repository of its namespace. */
export function servesRepository({ spec: { github } }: Pick<Integration, "spec">, name: string | undefined): boolean {
  return github?.repositories.some((one) => one.name === name) ?? false;
}
