import { annotations } from "../../api/v1alpha1/names.ts";
import { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import { ownerKeysOf } from "../../domain/attempts/owner-labels.ts";
import type { Change } from "../../kube/cache.ts";
import type { Controller } from "../../kube/controller.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { keyOf, type KubeObject, type ObjectKey } from "../../lib/resource.ts";
import { isSpecChange } from "../predicates.ts";
import { scopeOf } from "../sandbox/images/scope.ts";
import type { GatewayPresence } from "../sandbox/observe/gateway-presence.ts";
import type { Heartbeats } from "../sandbox/observe/heartbeats.ts";
import { attemptOf } from "../sandbox/labels.ts";
import { observeLease } from "../sandbox/observe/lease-notes.ts";
import { podState } from "../sandbox/observe/pod-state.ts";
import type { BuildPlaces } from "./build-places.ts";
import type { ImageInformers } from "./observe.ts";
import { saidOf } from "./observe/verdicts.ts";

/** Has changes of these objects bring the keys of the images that they concern. */
export function watchAll(controller: Controller, informers: ImageInformers, places: Pick<BuildPlaces, "next">): void {
  const { prebuiltImages, repositories, environments, sandboxClasses, sessions } = informers;
  const inNamespace = ({ metadata }: KubeObject): ObjectKey[] => prebuiltImages.list(metadata.namespace).map(keyOf);
  controller.watch(prebuiltImages, { keysOf: (image) => [keyOf(image)], when: imageMatters });
  // The younger of two of one scope begins when the older goes.
  controller.watch(prebuiltImages, { keysOf: inNamespace, when: ({ type }) => type !== "updated" });
  controller.watch(prebuiltImages, { keysOf: () => places.next(), when: endsBuild });
  controller.watch(repositories, { keysOf: inNamespace, when: isSpecChange });
  controller.watch(environments, {
    keysOf: ({ metadata }) =>
      prebuiltImages
        .list(metadata.namespace)
        .filter((image) => scopeOf(image).kind === "Environment" && scopeOf(image).name === metadata.name)
        .map(keyOf),
    when: isSpecChange,
  });
  controller.watch(sandboxClasses, {
    keysOf: ({ metadata }) =>
      prebuiltImages
        .list()
        .filter(({ spec }) => spec.sandboxClassName === metadata.name)
        .map(keyOf),
    when: isSpecChange,
  });
  controller.watch(sessions, {
    keysOf: ({ metadata, status }) => {
      const name = status?.prebuiltImage?.name;
      return name === undefined ? [] : [{ namespace: metadata.namespace, name }];
    },
    when: ({ object, old }) => saidOf(object) !== (old && saidOf(old)),
  });
  controller.watch(informers.pods, {
    keysOf: imageKeysOf,
    when: (change) => podMatters(change, imageKeysOf(change.object).flatMap((key) => prebuiltImages.get(key) ?? [])[0]),
  });
  controller.watch(informers.leases, { keysOf: imageKeysOf, when: leaseMatters });
  // No events of their own, but the caches must be there and read our own writes.
  controller.watch(informers.secrets, { keysOf: () => [] });
  controller.watch(informers.gatewayLeases, { keysOf: () => [] });
}

function imageKeysOf(object: KubeObject): ObjectKey[] {
  return ownerKeysOf(PrebuiltImage.kind, object);
}

/** Only the controller writes an image's status. */
function imageMatters(change: Change<PrebuiltImage>): boolean {
  const { object, old } = change;
  const requested = ({ metadata }: KubeObject): string | undefined =>
    metadata.annotations?.[annotations.rebuildRequestedAt];
  return isSpecChange(change) || requested(object) !== (old && requested(old));
}

function endsBuild({ type, object, old }: Change<PrebuiltImage>): boolean {
  return old?.status?.build !== undefined && (type === "deleted" || object.status?.build === undefined);
}

/** Nothing about the pod of a build that is over counts. */
function podMatters({ object, old }: Change<KubeObject>, image: PrebuiltImage | undefined): boolean {
  const { build, sandbox } = image?.status ?? {};
  if (!build && sandbox && attemptOf(object.metadata) <= sandbox.attempt) return false;
  return !old || !jsonEqual(podState(object), podState(old));
}

/** A renewal does not count, nor does a Lease that goes with its attempt. */
function leaseMatters({ type, object, old }: Change<KubeObject>): boolean {
  return type !== "deleted" && !(old && jsonEqual(observeLease(object), observeLease(old)));
}

interface Followers {
  gateways: GatewayPresence;
  heartbeats: Heartbeats;
}

/** Images whose builds wait for a gateway while none is there. */
export function beingBuilt({ prebuiltImages }: Pick<ImageInformers, "prebuiltImages">): ObjectKey[] {
  return prebuiltImages
    .list()
    .filter(({ status }) => status?.build)
    .map(keyOf);
}

/** Keeps heartbeats up to date beside the work queue, until the result is called. */
export function follow({ leases }: Pick<ImageInformers, "leases">, { gateways, heartbeats }: Followers): () => void {
  gateways.begin();
  heartbeats.restart();
  const stops = [
    leases.onChange((change) => heartbeats.leaseChanged(change)),
    leases.onListed(() => heartbeats.restart()),
    () => heartbeats.stop(),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
