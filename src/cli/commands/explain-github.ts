import { z } from "zod";

import { type Automation, GitHubTrigger, type Integration, type Repository } from "../../api/v1alpha1/index.ts";
import { pausedBecause } from "../../domain/deliveries/not-started.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";
import { longestParsedBytes, readGitHubOccurrence } from "../../domain/integrations/github-occurrence.ts";
import { githubEventNames } from "../../domain/integrations/github-subscriptions.ts";
import { mismatchOf, needsPermission } from "../../domain/integrations/github-wanted.ts";
import { repositoryPlace } from "../../domain/integrations/repository-place.ts";
import { keyedRunName } from "../../domain/object-names.ts";
import { CliError } from "../cli-error.ts";
import { type Explanation, readPayload } from "./explanation.ts";

/** What an Automation of type GitHub belongs to, as far as it is known. */
export interface GitHubSurroundings {
  integration?: Integration | undefined;
  /** That of its target. */
  repository?: Repository | undefined;
}

const Installed = z.object({ installation: z.object({ id: z.int() }) });

/** Decides on an event as ingress and connector do; what GitHub alone knows is named in the message. @throws CliError */
export function explainGitHub(
  automation: Automation,
  { body, type }: { body: Uint8Array; type: string | undefined },
  surroundings: GitHubSurroundings,
): Explanation {
  const trigger = triggerOf(automation);
  const payload = readPayload(body, longestParsedBytes);
  if (!("value" in payload)) return payload;
  const event = read(payload.value, type, trigger);
  if ("decision" in event) return event;
  const { occurrence, fullName } = event;
  const problem =
    otherInstallation(payload.value, surroundings) ??
    otherRepository(automation, fullName, surroundings) ??
    mismatchOf(occurrence, trigger, surroundings.integration?.spec.github?.slug ?? "");
  const asked = needsPermission(occurrence, trigger)
    ? `, if GitHub says that ${occurrence.actor ?? ""} may write to ${fullName}`
    : "";
  return {
    ...decisionOn(automation, problem, `The event is ${occurrence.type}; a Run would start${asked}`),
    ...keyOfRun(automation, occurrence.key),
  };
}

function decisionOn(
  automation: Automation,
  problem: string | undefined,
  start: string,
): Pick<Explanation, "decision" | "message"> {
  const paused = pausedBecause(automation);
  if (paused !== undefined) return { decision: "Paused", message: paused };
  return problem === undefined ? { decision: "Started", message: start } : { decision: "Filtered", message: problem };
}

function keyOfRun({ metadata }: Automation, idempotencyKey: string): Pick<Explanation, "idempotencyKey" | "runName"> {
  const { name = "", uid } = metadata;
  return { idempotencyKey, ...(uid !== undefined && { runName: keyedRunName({ name, uid }, idempotencyKey) }) };
}

function triggerOf({ metadata, spec }: Automation): GitHubTrigger {
  const { data, error } = GitHubTrigger.safeParse(spec.trigger.github);
  if (data) return data;
  throw new CliError(
    `Automation ${metadata.name ?? ""}: spec.trigger.github cannot be read:\n${z.prettifyError(error)}`,
  );
}

type Read = Pick<Explanation, "decision" | "message"> | { occurrence: Occurrence; fullName: string };
type Occurrence = NonNullable<NonNullable<ReturnType<typeof readGitHubOccurrence>>["occurrence"]>;

function read(value: unknown, type: string | undefined, { events }: GitHubTrigger): Read {
  if (type === undefined) {
    throw new CliError(
      "an event of GitHub's needs its type, as its delivery has it: --header 'X-GitHub-Event: pull_request'",
    );
  }
  try {
    const event = readGitHubOccurrence(value, type, new Set(events));
    if (event?.occurrence) return { occurrence: event.occurrence, fullName: event.repository?.name ?? "" };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { decision: "InvalidPayload", message: error.message };
  }
  const wanted = events.map((one) => `${one} (${githubEventNames[one]})`).join(", ");
  return { decision: "Filtered", message: `The event is ${nameOf(type, value)}, but must be one of ${wanted}` };
}

function nameOf(type: string, value: unknown): string {
  const { data } = z.object({ action: z.string().max(64) }).safeParse(value);
  return data ? `${type}.${data.action}` : type;
}

function otherInstallation(value: unknown, { integration }: GitHubSurroundings): string | undefined {
  const wanted = integration?.spec.github?.installationID;
  if (wanted === undefined) return undefined;
  const { data } = Installed.safeParse(value);
  if (data?.installation.id === wanted) return undefined;
  const id = data ? `of installation ${data.installation.id}` : "of no installation";
  return `The event is ${id}, and Integration ${integration?.metadata.name ?? ""} is for ${wanted}`;
}

function otherRepository(
  { spec }: Automation,
  fullName: string,
  { repository }: GitHubSurroundings,
): string | undefined {
  if (!repository) return undefined;
  const target = repositoryPlace(repository.spec.url).fullName;
  if (target === fullName.toLowerCase()) return undefined;
  const { name = "" } = spec.targets[0]?.repositoryRef ?? {};
  return `its target is Repository ${name}, which is ${target}, and the event is about ${fullName}`;
}
