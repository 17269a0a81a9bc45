import { PrebuiltImage, type PrebuiltImageStatus } from "../../api/v1alpha1/prebuilt-image.ts";
import type { Reason } from "../../api/v1alpha1/reasons.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { EventFacts } from "../../kube/event-recorder.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import type { StartObstacle } from "../sandbox/facts.ts";
import { type AttemptEffect, type AttemptEffectDeps, performAttemptEffect } from "../sandbox/effects.ts";
import type { ImageMetrics } from "../metrics/image-metrics.ts";
import type { UnrecordedBuild } from "./facts.ts";

/** One write for an image. */
export type ImageEffect =
  | {
      kind: "writeStatus";
      status: PrebuiltImageStatus;
      event?: { type: "Normal" | "Warning"; reason: Reason; note: string } | undefined;
    }
  | (Extract<AttemptEffect, { kind: "createPod" }> & {
      due: Pick<UnrecordedBuild, "decision" | "inputs" | "timeoutSeconds">;
    })
  | Exclude<AttemptEffect, { kind: "createPod" }>;

/** What effects found out that the next decision needs; it is lost with the process, and then found out again. */
export interface Findings {
  start?: UnrecordedBuild | undefined;
  obstacle?: StartObstacle | undefined;
}

export interface ImageEffectDeps extends AttemptEffectDeps {
  client: AttemptEffectDeps["client"] & Pick<KubeClient, "patchStatus">;
  events: { record(event: EventFacts): void };
  imageMetrics?: ImageMetrics | undefined;
}

/** Carries effects out in order, and adds to the findings. Rejects at the first that fails, which is safe to decide on again. */
export async function performEffects(
  deps: ImageEffectDeps,
  image: PrebuiltImage,
  effects: readonly ImageEffect[],
  findings: Findings,
): Promise<void> {
  let current = image;
  for (const effect of effects) {
    if (effect.kind === "writeStatus") {
      current = await writeStatus(deps, current, effect);
      findings.start = undefined;
      continue;
    }
    const outcome = await performAttemptEffect(deps, current, effect);
    if (outcome?.kind === "created" && effect.kind === "createPod")
      findings.start = { ...outcome.start, ...effect.due };
    if (outcome?.kind === "obstructed") findings.obstacle = outcome.obstacle;
  }
}

/** Stores a status, and tells of what ended with it. */
async function writeStatus(
  deps: ImageEffectDeps,
  before: PrebuiltImage,
  { status, event }: Extract<ImageEffect, { kind: "writeStatus" }>,
): Promise<PrebuiltImage> {
  const image = await deps.client.patchStatus(PrebuiltImage, before, status);
  const [known] = before.status?.builds ?? [];
  const [last] = status.builds ?? [];
  if (last && (last.number !== known?.number || last.result !== known.result)) deps.imageMetrics?.buildEnded(last);
  if (event) deps.events.record({ regarding: referenceTo(PrebuiltImage, image), action: "BuildImage", ...event });
  return image;
}
