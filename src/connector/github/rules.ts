import type { GitHubEvent, Integration, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import type { Ask, ProviderRules } from "../conversations/provider-rules.ts";
import { isHomeOpened, isPullRequestAsked, isSaid } from "../slack/rules.ts";

/** What is kept of an event of GitHub's. */
export function githubOf({ spec }: IntegrationEvent): GitHubEvent {
  if (!spec.github) throw new Error("the event is none of GitHub's");
  return spec.github;
}

const asks = { Asked: "Created", Test: "Test" } as const satisfies Partial<Record<GitHubEvent["action"], Ask>>;

/** What a person asks for, or a sample; all else is about a pull request, or for Automations. */
function isAsk(action: GitHubEvent["action"]): action is keyof typeof asks {
  return action in asks;
}

/** Whether an event is about a pull request as such, and so of no Conversation. */
export function isOfPullRequest({ spec: { github } }: IntegrationEvent): boolean {
  return github !== undefined && !isAsk(github.action) && github.action !== "Occurred";
}

/** Whether an event is for Automations alone, and so of no Conversation. */
export function isOccurrence({ spec }: IntegrationEvent): boolean {
  return spec.github?.action === "Occurred";
}

/** Whether an event is of a Conversation. */
export function isOfConversation(event: IntegrationEvent): boolean {
  const isOfSlackAlone = isSaid(event) || isHomeOpened(event) || isPullRequestAsked(event);
  return !isOfPullRequest(event) && !isOccurrence(event) && !isOfSlackAlone;
}

export const githubRules: ProviderRules = {
  /** Its issue or pull request, by the repository's number, which stays; an event of none is about the App. */
  subjectOf(event) {
    const { repository, number } = githubOf(event);
    return repository && number !== undefined ? `issue/${repository.id}/${number}` : "app";
  },
  askOf(event) {
    const { action } = githubOf(event);
    if (!isAsk(action)) throw new Error("events of pull requests ask for nothing");
    return asks[action];
  },
  mayAsk: (spec, event) => isAllowed(spec, githubOf(event)),
  requesterOf({ spec }, event) {
    return `github:${spec.github?.installationID ?? ""}:${githubOf(event).actor?.login ?? ""}`;
  },
  slides: false,
  placeOf(event) {
    const { repository, number, commentID, commentType } = githubOf(event);
    if (!repository || number === undefined) return {};
    return {
      github: {
        repository: repository.name,
        number,
        ...(commentID !== undefined && { commentID }),
        ...(commentType && { commentType }),
      },
    };
  },
  showsProgress: false,
  /** A comment gets a reaction; the text of a review can have none. */
  startPosts: (event, sessionName) =>
    githubOf(event).commentID === undefined ? [] : [{ kind: "Started", progress: "Pending", sessionName }],
};

/** Whether a list allows the person; where there is none, GitHub is asked for the person's permission. */
function isAllowed({ github }: Pick<Integration["spec"], "github">, { actor }: GitHubEvent): boolean {
  const { allowedUsers } = github ?? {};
  if (!github || !actor) return false;
  return !allowedUsers || allowedUsers.some((login) => login.toLowerCase() === actor.login.toLowerCase());
}
