import type { Integration, LinearEvent, Target } from "../../api/v1alpha1/index.ts";
import type { Candidate } from "../candidates.ts";
import { namedRepository } from "./named-repository.ts";

/** What a target is looked for by. */
export interface Wanted {
  settings: NonNullable<Integration["spec"]["linear"]>;
  event: LinearEvent;
  /** Undefined where the agent session has no issue. */
  issue: { projectId?: string | undefined; labels: readonly string[] } | undefined;
  /** Repositories that requests may be about and that exist. */
  candidates: readonly Candidate[];
  /** Whether what a mapping names exists; one whose target does not is passed over. */
  exists: (target: Target) => boolean;
  /** What Linear suggests; undefined before it was asked. */
  suggestions: readonly Suggestion[] | undefined;
}

export interface Suggestion {
  repositoryFullName: string;
  hostname?: string | null | undefined;
  /** From 0 to 1. */
  confidence: number;
}

/** `suggest` = Linear is to be asked; `ask` = the person is. */
export type TargetDecision = { kind: "target"; target: Target } | { kind: "suggest" } | { kind: "ask" };

/** Suggestions below count as none. */
const leastConfidence = 0.7;

/** Finds what a session works on: mappings, a repository that is named, the only one, a suggestion; else the person is asked. */
export function decideTarget(wanted: Wanted): TargetDecision {
  const { event, candidates, suggestions, issue } = wanted;
  const mapped = mappedTarget(wanted);
  if (mapped) return { kind: "target", target: mapped };
  const [only, ...others] = candidates;
  const found = namedRepository(event.text ?? "", candidates) ?? (others.length === 0 ? only : undefined);
  if (found) return repository(found);
  if (candidates.length === 0 || !issue) return { kind: "ask" };
  if (!suggestions) return { kind: "suggest" };
  const suggested = suggestedCandidate(suggestions, candidates);
  return suggested ? repository(suggested) : { kind: "ask" };
}

function repository({ name }: Candidate): TargetDecision {
  return { kind: "target", target: { repositoryRef: { name } } };
}

/** The project's mapping, or the team's: of its entries one whose label the issue has, else one without a label. */
function mappedTarget({ settings, event, issue, exists }: Wanted): Target | undefined {
  const ofProject = settings.projects.filter(({ id }) => id === issue?.projectId);
  const labels = new Set((issue?.labels ?? []).map((label) => label.toLowerCase()));
  const ofTeam = settings.teams.filter(({ key }) => key === event.teamKey);
  const labelled = ofTeam.filter(({ label }) => label !== undefined && labels.has(label.toLowerCase()));
  const plain = ofTeam.filter(({ label }) => label === undefined);
  return [...ofProject, ...labelled, ...plain].map(({ target }) => target).find(exists);
}

/** The candidate of the most confident suggestion that is confident enough. */
function suggestedCandidate(
  suggestions: readonly Suggestion[],
  candidates: readonly Candidate[],
): Candidate | undefined {
  const confident = suggestions.filter(({ confidence }) => confidence >= leastConfidence);
  const sorted = confident.toSorted((left, right) => right.confidence - left.confidence);
  return sorted
    .map(({ repositoryFullName, hostname }) =>
      candidates.find(
        (candidate) =>
          candidate.fullName === repositoryFullName.toLowerCase() &&
          (!hostname || candidate.hostname === hostname.toLowerCase()),
      ),
    )
    .find((candidate) => candidate !== undefined);
}

/** The question to a person where the target is not clear. */
export function targetQuestion(candidates: readonly Candidate[]): string {
  if (candidates.length === 0) {
    return "No repository is set up for this issue's project or team. Ask the operator of Runwright to map it.";
  }
  const shown = candidates.slice(0, 20).map(({ fullName }) => `- ${fullName}`);
  const more = candidates.length > shown.length ? [`- and ${candidates.length - shown.length} more`] : [];
  return ["Which repository is this about? Answer with one of", ...shown, ...more].join("\n");
}
