import { annotations, conditionTypes, Prompt, PullRequest, type Session } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import { isFollowed, pullRequestOf, wishFor } from "../../domain/pull-requests/wish.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { CliError } from "../cli-error.ts";
import { existingSession } from "../cluster/existing-objects.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { shownAs } from "../output/listed.ts";
import type { Printable } from "../output/printable.ts";
import { poll } from "./poll.ts";

/** Prompts per page: each may have 250 KB of text. */
const pageSize = 50;
/** Time for the connector to ask GitHub, in milliseconds. */
const waitMs = 30_000;

export const pullRequestCreate = defineCommand({
  name: "pull-request create",
  summary: "have a pull request opened for the branch that a Session's agent pushed last, or its state read again",
  details:
    "Sets the annotation runwright.dev/pull-request-requested-at on the Prompt that reported the branch, with your own permissions. The connector opens the pull request, or adopts the one that is open, where an Integration of type GitHub with github.pullRequests has the session's first Repository. Of one that is known it reads the state at GitHub again; one that GitHub refused is tried again.",
  parameters: ["SESSION"],
  flags: {},
  formats: ["json", "yaml", "name"],
  examples: ["pull-request create demo/upgrade"],
  async run(invocation) {
    const { clock, cluster } = invocation;
    const { client } = cluster();
    const session = await existingSession(cluster(), nameArgument("Session", invocation));
    const prompt = await lastPushed(invocation, session);
    const look = async (): Promise<PullRequest | undefined> => {
      const { items } = await client.list<PullRequest>(PullRequest, { namespace: session.metadata.namespace });
      return pullRequestOf(items, session, branchOf(prompt));
    };
    const before = await look();
    if (before && wishFor(before, session) === undefined) return shown(before);
    const value = clock.now().toISOString();
    // The UID is a precondition, so that another prompt of this name is not annotated.
    const annotated = { uid: prompt.metadata.uid, annotations: { [annotations.pullRequestRequestedAt]: value } };
    await client.patch<Prompt>(Prompt, keyOf(prompt), { metadata: annotated });
    const isEnough = (seen: PullRequest | undefined): boolean => seen !== undefined && isFollowed(seen, session, value);
    const found = await poll(clock, look, { isEnough, forMs: waitMs });
    if (!found) throw notMade(session, branchOf(prompt));
    return shown(found);
  },
});

/** The prompt that ended last with a branch. @throws CliError when there is none */
async function lastPushed({ cluster }: Pick<Invocation, "cluster">, session: Session): Promise<Prompt> {
  const { items } = await cluster().client.list<Prompt>(Prompt, {
    namespace: session.metadata.namespace,
    fieldSelector: `spec.sessionRef.name=${session.metadata.name ?? ""}`,
    limit: pageSize,
    transform: (prompt) => ({ ...prompt, spec: { ...prompt.spec, text: "" } }),
  });
  const ended = ({ status }: Prompt): string => status?.completionTime ?? "";
  const [last] = items
    .filter((prompt) => isSettled(prompt) && branchOf(prompt) !== "")
    .sort((left, right) => ended(right).localeCompare(ended(left)));
  if (last) return last;
  const name = keyText(keyOf(session));
  throw new CliError(
    `no Prompt of Session ${name} has ended with a branch yet\nTo see what the agent does: kubectl runwright session logs ${name}`,
  );
}

function branchOf({ status }: Prompt): string {
  return status?.result?.branch ?? "";
}

/** @throws CliError where GitHub refused it */
function shown(pullRequest: PullRequest): Printable {
  return { text: describe(pullRequest), ...shownAs(PullRequest, pullRequest) };
}

/** @throws CliError where GitHub refused it */
function describe(pullRequest: PullRequest): string {
  const { metadata, spec, status = {} } = pullRequest;
  const { reason, message } = readyOf(pullRequest);
  const name = keyText(keyOf(pullRequest));
  if (status.number !== undefined) {
    const place = `${status.repository ?? spec.repository}#${status.number}`;
    return `${place} of Session ${spec.sessionRef.name}, ${String(status.githubState)}: ${String(status.url)}\n${message}`;
  }
  if (reason === "PullRequestRefused") throw new CliError(`PullRequest ${name} was not opened: ${message}`);
  const list = `kubectl get pullrequests -n ${String(metadata.namespace)} -w`;
  return `PullRequest ${name} is not open yet: ${message}\nTo watch it: ${list}`;
}

function readyOf({ status }: PullRequest): { reason: string; message: string } {
  return findCondition(status?.conditions, conditionTypes.ready) ?? { reason: "", message: "" };
}

function notMade({ metadata }: Session, branch: string): CliError {
  return new CliError(
    `nothing was made for branch ${branch} within ${waitMs / 1_000} seconds. It needs the connector, and an Integration of type GitHub with github.pullRequests that has the session's first Repository; the branch must not be the one that the session began with\nTo see the Integrations: kubectl runwright integrations -n ${metadata.namespace ?? ""}`,
  );
}
