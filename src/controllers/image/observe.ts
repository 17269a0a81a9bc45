import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { effectiveSettings } from "../../domain/settings/effective.ts";
import type { OperatorSettings } from "../../domain/settings/execution-timeout.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KindInformers } from "../kind-informers.ts";
import type { FoundSettings, StartObstacle } from "../sandbox/facts.ts";
import { fingerprintOf } from "../sandbox/images/choose.ts";
import { imagesOf, scopeOf } from "../sandbox/images/scope.ts";
import type { SecretsMacKey } from "../sandbox/images/secrets-mac.ts";
import type { SandboxInformers } from "../sandbox/informers.ts";
import { type AttemptObserverDeps, observeAttempt, observeStart, type StartObserverDeps } from "../sandbox/observe.ts";
import { podState } from "../sandbox/observe/pod-state.ts";
import { refused } from "../sandbox/refusal.ts";
import type { StartInputs } from "../sandbox/start/inputs.ts";
import type { BuildPlaces } from "./build-places.ts";
import { isBundleDue } from "./decide/bundle.ts";
import { buildTimeoutSeconds } from "./decide/clocks.ts";
import { isLookDue } from "./decide/due.ts";
import { isToCompare } from "./decide/storing.ts";
import type { Findings } from "./effects.ts";
import type { ImageFacts, LiveInputs } from "./facts.ts";
import { imageAsOwner } from "../sandbox/images/owner.ts";
import type { ContainerStarts } from "./observe/container-starts.ts";
import { observeScope } from "./observe/scope.ts";
import { observeVerdicts } from "./observe/verdicts.ts";

export type ImageInformers = SandboxInformers &
  Pick<KindInformers, "prebuiltImages" | "repositories" | "environments" | "sandboxClasses" | "sessions">;

export interface ImageObserverDeps extends AttemptObserverDeps, StartObserverDeps {
  client: Pick<KubeClient, "find" | "list" | "create">;
  clock: Pick<Clock, "now">;
  informers: ImageInformers;
  operator: Pick<OperatorSettings, "settings">;
  macKey: Pick<SecretsMacKey, "macOf">;
  places: Pick<BuildPlaces, "take">;
  starts: Pick<ContainerStarts, "seen">;
  /** Of classes that name none. */
  defaultImage: string;
}

/** Reads all that a decision about an image rests on, once; what a build needs is read live where one is due, begins or ends. */
export async function observeImage(
  deps: ImageObserverDeps,
  image: PrebuiltImage,
  { start, obstacle }: Findings,
): Promise<ImageFacts> {
  const owner = imageAsOwner(image);
  const containerStartTime = startOf(deps, image);
  const record = owner.record && { ...owner.record, containerStartTime };
  const attempt = await observeAttempt(deps, { ...owner, record }, start);
  const facts: ImageFacts = {
    ...attempt,
    image,
    containerStartTime,
    scope: observeScope(deps, image),
    duplicateOf: duplicateOf(deps, image),
    ...observeVerdicts(deps.informers, image),
    start,
    live: undefined,
    obstacle,
  };
  const isLive = isLookDue(facts, deps.clock.now()) || isBundleDue(facts) || isToCompare(facts);
  if (start || obstacle || !isLive) return facts;
  return { ...facts, ...(await readLive(deps, facts)) };
}

function startOf({ clock, informers, starts }: ImageObserverDeps, image: PrebuiltImage): string | undefined {
  const { sandbox } = image.status ?? {};
  const pod = sandbox && informers.pods.get({ namespace: image.metadata.namespace, name: sandbox.podName });
  const isRunning = pod !== undefined && pod.metadata.uid === sandbox?.podUID && podState(pod).isStarted;
  return starts.seen(image, isRunning, clock.now());
}

function duplicateOf({ informers }: ImageObserverDeps, image: PrebuiltImage): string | undefined {
  const all = informers.prebuiltImages.list(image.metadata.namespace);
  const [first] = imagesOf(all, scopeOf(image), image.spec.sandboxClassName);
  return first && first.metadata.uid !== image.metadata.uid ? first.metadata.name : undefined;
}

async function readLive(deps: ImageObserverDeps, facts: ImageFacts): Promise<Partial<ImageFacts>> {
  const { image } = facts;
  const reading = await observeStart(deps, imageAsOwner(image), (inputs) => foundSettings(deps, inputs));
  if (reading.kind === "lacksAccount") return { lacksAccount: { defaultClass: reading.defaultClass } };
  if (reading.kind !== "ready") return { obstacle: reading };
  const { inputs, settings } = reading.ready;
  const { sandboxClass } = inputs;
  if (settings.copied.lifetimeMs === undefined) return { obstacle: tooShort(sandboxClass.metadata.name ?? "") };
  const live: LiveInputs = {
    ...reading.ready,
    ...fingerprintOf(inputs),
    classImage: sandboxClass.spec.image ?? deps.defaultImage,
    secretsMAC: await deps.macKey.macOf(inputs.environment),
  };
  const isToStart = image.status?.build === undefined;
  const full = isToStart ? deps.places.take(image, sandboxClass, deps.clock.now()) : undefined;
  return full === undefined ? { live } : { obstacle: { kind: "full", message: full, settings } };
}

/** Of a build the lifetime is the time for clone and setup.sh; the pod has the boot budget and the time to store beside it. */
function foundSettings({ operator }: ImageObserverDeps, inputs: StartInputs): FoundSettings {
  const { sandboxClass, targetSettings } = inputs;
  const { settings } = effectiveSettings(operator.settings, sandboxClass, targetSettings);
  const seconds = buildTimeoutSeconds(settings.buildTimeoutSeconds, sandboxClass.spec.maxSandboxTimeoutMs);
  return { copied: { lifetimeMs: seconds === undefined ? undefined : seconds * 1_000 }, bounded: [] };
}

function tooShort(className: string): StartObstacle {
  const message = `SandboxClass ${className} lets its sandboxes live for at most 600 s, which storing an image takes`;
  return { kind: "refused", refusal: refused(reasons.lifetimeTooShort, message).refusal };
}
