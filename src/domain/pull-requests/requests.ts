import { annotations, type Prompt, type PullRequest } from "../../api/v1alpha1/index.ts";

/** A request counts for a day, so that a PullRequest that is deleted later does not come back for it. */
const requestMs = 86_400_000;
/** The clock of the requester may be ahead by so much. */
const aheadMs = 300_000;
const longestTime = 64;

/** When a person asked for the pull request of the branch that a Prompt reported; undefined where none did, or not of late. */
export function requestOf({ metadata }: Pick<Prompt, "metadata">, now: Date): string | undefined {
  const value = metadata.annotations?.[annotations.pullRequestRequestedAt];
  if (value === undefined || value.length > longestTime) return undefined;
  const ageMs = now.getTime() - Date.parse(value);
  return ageMs >= -aheadMs && ageMs < requestMs ? value : undefined;
}

/** The latest request for a pull request that was not followed yet; `prompts` are those of its Session. */
export function openRequest(
  { spec, status }: Pick<PullRequest, "spec" | "status">,
  prompts: readonly Prompt[],
  now: Date,
): string | undefined {
  const followed = Date.parse(status?.requestedAt ?? "");
  const [latest] = prompts
    .filter((prompt) => prompt.status?.result?.branch === spec.head)
    .flatMap((prompt) => requestOf(prompt, now) ?? [])
    .sort((left, right) => Date.parse(right) - Date.parse(left));
  return latest !== undefined && !(Date.parse(latest) <= followed) ? latest : undefined;
}
