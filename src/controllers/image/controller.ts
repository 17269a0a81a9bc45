import { attemptName } from "../../api/v1alpha1/names.ts";
import { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import { lookAfterMs } from "../../domain/clocks/deadline.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps, Reconciler } from "../../kube/controller.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, type ObjectKey } from "../../lib/resource.ts";
import { makeController } from "../../kube/make-controller.ts";
import { GatewayPresence } from "../sandbox/observe/gateway-presence.ts";
import { hearGateways } from "../sandbox/observe/hear-gateways.ts";
import { Heartbeats } from "../sandbox/observe/heartbeats.ts";
import type { SandboxSlots } from "../sandbox/start/slots.ts";
import type { TenantNamespaces } from "../sandbox/tenant/tenant-namespaces.ts";
import { BuildPlaces } from "./build-places.ts";
import { decide, type ImageRules } from "./decide.ts";
import { type Findings, type ImageEffectDeps, performEffects } from "./effects.ts";
import type { ImageFacts } from "./facts.ts";
import { type ImageInformers, type ImageObserverDeps, observeImage } from "./observe.ts";
import { ContainerStarts } from "./observe/container-starts.ts";
import { beingBuilt, follow, watchAll } from "./watches.ts";

interface ReconcilerDeps extends Omit<ImageObserverDeps, "starts">, ImageEffectDeps {
  client: KubeClient;
  clock: Clock;
  namespaces: TenantNamespaces;
  places: BuildPlaces;
  rules: ImageRules;
}

export type ImageControllerDeps = ControllerDeps &
  Omit<ReconcilerDeps, "places" | "gateways" | "heartbeats" | "sessionsNamespace" | "defaultImage"> & {
    informers: ImageInformers;
    /** Places of classes, shared with sessions. */
    classPlaces: SandboxSlots;
    /** Whether gateways are there; by their own Leases where it is left out. */
    gateways?: GatewayPresence;
  };

/** The controller of prebuilt images. As that of sessions, it begins and ends with a term of leadership. */
export function imageController(deps: ImageControllerDeps): Pick<Controller, "start" | "stop"> {
  const { clock, informers } = deps;
  const { sessionsNamespace, environment } = deps.rules.start;
  const { gateways = new GatewayPresence(clock) } = deps;
  const goesOn = (name: string, key: ObjectKey): boolean => isCurrent(informers.prebuiltImages.get(key), name);
  const heartbeats = new Heartbeats({ clock, gateways, ownerKind: PrebuiltImage.kind, goesOn }, (_name, key) => {
    controller.enqueue(key);
  });
  const places = new BuildPlaces({
    building: () => informers.prebuiltImages.list().filter(({ status }) => status?.build !== undefined),
    classPlaces: deps.classPlaces,
    enqueue: (key) => controller.enqueue(key),
  });
  const controller = makeController(deps, { name: "image", concurrency: 4 }, (client) => {
    const { image: defaultImage } = environment;
    return new ImageReconciler({ ...deps, client, gateways, heartbeats, sessionsNamespace, places, defaultImage });
  });
  watchAll(controller, informers, places);
  const goOn = (): void => beingBuilt(informers).forEach((key) => controller.enqueue(key));
  const unhear = hearGateways(informers.gatewayLeases, { gateways, heartbeats, goOn });
  let unfollow: (() => void) | undefined;
  let isStopped = false;
  return {
    async start() {
      await informers.gatewayLeases.synced();
      if (isStopped) return;
      unfollow = follow(informers, { gateways, heartbeats });
      await controller.start();
    },
    async stop(graceMs) {
      isStopped = true;
      unhear();
      unfollow?.();
      await controller.stop(graceMs);
    },
  };
}

/** Whether the image's build goes on and is the one that beats under this name. */
function isCurrent(image: PrebuiltImage | undefined, leaseName: string): boolean {
  const { build, sandbox } = image?.status ?? {};
  return (
    build !== undefined &&
    sandbox !== undefined &&
    attemptName(image?.metadata.uid ?? "", sandbox.attempt) === leaseName
  );
}

/** Observes an image once, decides once, and carries the decision out. */
class ImageReconciler implements Reconciler {
  readonly #deps: ReconcilerDeps;
  readonly #starts = new ContainerStarts();
  /** By UID: what is not stored yet. It is lost with the process, and then found out again. */
  readonly #findings = new Map<string, Findings>();

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
  }

  async reconcile(key: ObjectKey): Promise<Outcome> {
    const { clock, informers, places, rules } = this.#deps;
    const image = informers.prebuiltImages.get(key);
    if (!image) {
      places.settled(key);
      places.leave(key);
      this.#starts.forget(key);
      return done;
    }
    const uid = image.metadata.uid ?? "";
    const findings = this.#takeFindings(image);
    const facts = await this.#observe(image, findings);
    const { effects, wakeAtMs } = decide(facts, clock.now(), rules);
    const next: Findings = { start: findings.start };
    try {
      await performEffects(this.#deps, image, effects, next);
    } finally {
      if (next.start ?? next.obstacle) this.#findings.set(uid, next);
      // A place is taken for a pod before it is created.
      if (!next.start) places.settled(key);
    }
    if (next.obstacle ?? (next.start && next.start !== findings.start)) return requeueAfter(0);
    return wakeAtMs === undefined ? done : requeueAfter(lookAfterMs(wakeAtMs, clock.now()));
  }

  async #observe(image: PrebuiltImage, findings: Findings): Promise<ImageFacts> {
    let isWaiting = false;
    try {
      const facts = await observeImage({ ...this.#deps, starts: this.#starts }, image, findings);
      isWaiting = facts.obstacle?.kind === "full";
      return facts;
    } finally {
      // Nobody is to wait for one that does not ask again soon.
      if (!isWaiting) this.#deps.places.leave(keyOf(image));
    }
  }

  /** A pod stays known until the status names it; what stands in the way counts for one decision. */
  #takeFindings({ metadata, status }: PrebuiltImage): Findings {
    const uid = metadata.uid ?? "";
    const { start, obstacle } = this.#findings.get(uid) ?? {};
    this.#findings.delete(uid);
    return { start: start?.attempt === status?.sandbox?.attempt ? undefined : start, obstacle };
  }
}
