import { conditionTypes } from "../../../api/v1alpha1/names.ts";
import { type ReasonMeaning, reasonMeanings } from "../../../api/v1alpha1/reason-meanings.ts";
import { type Reason, reasons } from "../../../api/v1alpha1/reasons.ts";
import type { PrebuiltImageStatus } from "../../../api/v1alpha1/prebuilt-image.ts";
import { type Mark, type MarkedAt, withMarks, withoutConditions } from "../../../domain/conditions.ts";
import { boundedMark } from "../../bounded-settings.ts";
import { leftOutMark } from "../../left-out-events.ts";
import type { ImageFacts } from "../facts.ts";
import { reasonToBuild } from "./rebuild.ts";

const doing = {
  Checking: [reasons.checking, "a pod looks for new commits"],
  Building: [reasons.building, "a pod clones and runs setup.sh"],
  Saving: [reasons.saving, "workspace and home are being stored"],
} as const;

/** The status with what people and tools are to know of it. */
export function withConditions(facts: ImageFacts, status: PrebuiltImageStatus, now: Date): PrebuiltImageStatus {
  const { ready, reconciling, stalled, buildFailed, settingsBounded, eventsLeftOut } = conditionTypes;
  const at: MarkedAt = { now, generation: facts.image.metadata.generation };
  const readiness = readinessOf(facts, status);
  const marks: Mark[] = [{ type: ready, ...readiness }, ...progressOf(facts, status)];
  const { failures } = status;
  if (failures) {
    const { reason, message, count, retryTime } = failures;
    const tries = count === 1 ? "" : `; ${count} builds in a row have failed`;
    const text = `${message}${tries}; the same is built again at ${retryTime}`;
    marks.push({ type: buildFailed, status: "True", reason, message: withRemedy(text, reason) });
  }
  const refusal = refusalOf(facts);
  if (refusal) marks.push({ type: stalled, status: "True", ...refusal });
  const warning = "found" in facts.scope ? boundedMark(facts.scope.found.bounded) : undefined;
  if (warning) marks.push(warning);
  const leftOut = facts.lease?.eventsLeftOut;
  if (leftOut) marks.push(leftOutMark(leftOut));
  const judged = [reconciling, stalled, buildFailed, settingsBounded];
  const types = isBuiltAnew(facts, status) ? [...judged, eventsLeftOut] : judged;
  const passed = types.filter((type) => !marks.some((mark) => mark.type === type));
  const conditions = withMarks(withoutConditions(status.conditions, passed), marks, at);
  return { ...status, conditions, observedGeneration: at.generation };
}

/** A build whose events are kept so far takes the place of one whose events were not; a check does not. */
function isBuiltAnew({ lease }: ImageFacts, { build }: PrebuiltImageStatus): boolean {
  return lease !== undefined && build !== undefined && build.step !== "Checking";
}

/** Reasons in a status are any text; what to do about ours is known. */
function withRemedy(text: string, reason: string): string {
  const { remedy } = (reasonMeanings as Partial<Record<string, ReasonMeaning>>)[reason] ?? {};
  return remedy === undefined ? text : `${text}. ${remedy}`;
}

function refusalOf({ obstacle, scope }: ImageFacts): { reason: Reason; message: string } | undefined {
  if ("missing" in scope) return scope.missing;
  if (obstacle?.kind === "refused") return obstacle.refusal;
  return obstacle?.kind === "rejected" ? { reason: reasons.podRejected, message: obstacle.message } : undefined;
}

function readinessOf(facts: ImageFacts, status: PrebuiltImageStatus): Omit<Mark, "type"> {
  const no = (reason: Reason, message: string): Omit<Mark, "type"> => ({ status: "False", reason, message });
  const { image, duplicateOf, scope } = facts;
  if (image.spec.suspend) return no(reasons.suspended, "spec.suspend is true: sessions begin without an image");
  if (duplicateOf !== undefined) {
    return no(reasons.duplicateScope, `PrebuiltImage ${duplicateOf} is older and has the same scope and class`);
  }
  if ("missing" in scope) return no(scope.missing.reason, scope.missing.message);
  const { image: built, failures } = status;
  const refusal = refusalOf(facts);
  if (!built) {
    if (refusal) return no(refusal.reason, refusal.message);
    return no(reasons.noImage, failures ? `no build has succeeded: ${failures.message}` : "no build has ended yet");
  }
  const asked = { image: built, inputs: scope.found, secretsMAC: undefined, repositories: scope.found.repositories };
  if (reasonToBuild(asked) === "MissingImage") {
    return no(reasons.superseded, "the Repositories or the class's container image have changed since it was built");
  }
  return { status: "True", reason: reasons.built, message: `build ${built.build} of ${built.bytes} bytes is stored` };
}

/** A check beside an image that serves is no progress that anything waits for. */
function progressOf({ obstacle, pods }: ImageFacts, { build, image, sandbox }: PrebuiltImageStatus): Mark[] {
  const type = conditionTypes.reconciling;
  if (obstacle?.kind === "full") return [{ type, status: "True", reason: reasons.queued, message: obstacle.message }];
  if (!build || (build.step === "Checking" && image)) return [];
  const { waiting } = pods.find(({ attempt }) => attempt === sandbox?.attempt) ?? {};
  const [reason, message] = waiting ? [waiting.reason, waiting.message] : doing[build.step];
  return [{ type, status: "True", reason, message: `${message} (build ${build.number}, ${build.reason})` }];
}

/** The status with a warning of files that hold values of secrets; without files there is none. */
export function withSecretFiles(
  status: PrebuiltImageStatus,
  { files, count }: { files: readonly string[]; count: number },
  at: MarkedAt,
): PrebuiltImageStatus {
  const type = conditionTypes.secretsInImage;
  if (count === 0) return { ...status, conditions: withoutConditions(status.conditions, [type]) };
  const more = count > files.length ? ` and ${count - files.length} more` : "";
  const message = `values of secrets are in ${files.join(", ")}${more}`;
  const mark: Mark = { type, status: "True", reason: reasons.secretsFound, message };
  return { ...status, conditions: withMarks(status.conditions, [mark], at) };
}
