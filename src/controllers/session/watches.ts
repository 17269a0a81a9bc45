import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import { labels } from "../../api/v1alpha1/names.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import { parentReference } from "../../domain/children/parent.ts";
import type { Change } from "../../kube/cache.ts";
import type { Controller } from "../../kube/controller.ts";
import type { Pod } from "../../kube/core-resources.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, keyText, type KubeObject, type ObjectKey } from "../../lib/resource.ts";
import type { GatewayPresence } from "../sandbox/observe/gateway-presence.ts";
import type { Heartbeats } from "../sandbox/observe/heartbeats.ts";
import { ownerKeysOf } from "../../domain/attempts/owner-labels.ts";
import { uidKeyOf } from "../kind-informers.ts";
import type { SandboxSlots } from "../sandbox/start/slots.ts";
import { byParentIndex, bySessionIndex, type SessionInformers } from "./informers.ts";
import { type FamilyCostDeps, familyAtLimit, keysBelow } from "./observe/family-cost.ts";
import {
  childMatters,
  childrenMatter,
  costLimitMatters,
  costMatters,
  costNoteMatters,
  leaseMatters,
  podMatters,
  promptMatters,
  sessionMatters,
} from "./predicates.ts";

/** Has changes of these objects bring the keys of the sessions that they concern. */
export function watchAll(
  controller: Controller,
  { informers, clock, ...rest }: FamilyCostDeps & { informers: SessionInformers; clock: Pick<Clock, "now"> },
): void {
  const families = { informers, ...rest };
  controller.watch(informers.sessions, { keysOf: (session) => [keyOf(session)], when: sessionMatters });
  controller.watch(informers.sessions, {
    keysOf: (session) => informers.sessions.byIndex(byParentIndex, uidKeyOf(session)).map(keyOf),
    when: childrenMatter,
  });
  controller.watch(informers.sessions, { keysOf: parentKeysOf, when: childMatters });
  controller.watch(informers.prompts, {
    keysOf: (prompt) => {
      const key = sessionKeyOf(prompt);
      return [...parentKeysOf(informers.sessions.get(key)), key];
    },
    when: (change) => promptMatters(change, informers.sessions.get(sessionKeyOf(change.object))),
  });
  controller.watch(informers.pods, {
    keysOf: sessionKeysOf,
    when: (change) => {
      const [key] = sessionKeysOf(change.object);
      const prompts = key ? informers.prompts.byIndex(bySessionIndex, keyText(key)) : [];
      return podMatters(change, ownerOf(informers, change.object), prompts);
    },
  });
  controller.watch(informers.leases, {
    keysOf: sessionKeysOf,
    when: (change) => leaseMatters(change, ownerOf(informers, change.object), clock.now()),
  });
  // A family shares a cost limit, so all of it stops when it is reached and goes on when it is raised.
  controller.watch(informers.sessions, {
    keysOf: (session) => familyAtLimit(families, session),
    when: costMatters,
  });
  controller.watch(informers.sessions, { keysOf: (session) => keysBelow(families, session), when: costLimitMatters });
  controller.watch(informers.leases, {
    keysOf: (lease) => {
      const session = ownerOf(informers, lease);
      return session ? familyAtLimit(families, session) : [];
    },
    when: costNoteMatters,
  });
  // No events of their own, but the caches must be there and read our own writes.
  controller.watch(informers.secrets, { keysOf: () => [] });
  controller.watch(informers.sandboxClasses, { keysOf: () => [] });
  controller.watch(informers.prebuiltImages, { keysOf: () => [] });
  controller.watch(informers.gatewayLeases, { keysOf: () => [] });
  if (informers.sandboxPools) controller.watch(informers.sandboxPools, { keysOf: () => [] });
}

function sessionKeysOf(object: KubeObject): ObjectKey[] {
  return ownerKeysOf(Session.kind, object);
}

function parentKeysOf(session: Session | undefined): ObjectKey[] {
  const parent = session && parentReference(session);
  return parent ? [{ namespace: session.metadata.namespace, name: parent.name }] : [];
}

function sessionKeyOf({ metadata, spec }: Prompt): ObjectKey {
  return { namespace: metadata.namespace, name: spec.sessionRef.name };
}

function ownerOf({ sessions }: Pick<SessionInformers, "sessions">, object: KubeObject): Session | undefined {
  const [key] = sessionKeysOf(object);
  return key && sessions.get(key);
}

interface Followers {
  gateways: GatewayPresence;
  heartbeats: Heartbeats;
  slots: SandboxSlots;
}

/** Sessions whose clocks stand still while no gateway is there. */
export function withSandbox({ sessions }: Pick<SessionInformers, "sessions">): ObjectKey[] {
  return sessions.list().filter(hasSandbox).map(keyOf);
}

/** Keeps heartbeats and places in classes up to date beside the work queue, until the result is called. */
export function follow(informers: SessionInformers, { gateways, heartbeats, slots }: Followers): () => void {
  gateways.begin();
  heartbeats.restart();
  const stops = [
    informers.leases.onChange((change) => heartbeats.leaseChanged(change)),
    informers.leases.onListed(() => heartbeats.restart()),
    informers.pods.onChange((change) => placesChanged(slots, change)),
    informers.sandboxPools?.onChange(({ object }) => slots.freed(object.spec.sandboxClassName)),
    informers.sandboxClasses.onChange(({ object }) => slots.changed(object.metadata.name ?? "")),
    () => heartbeats.stop(),
  ];
  return () => {
    for (const stop of stops) stop?.();
  };
}

function hasSandbox({ status }: Session): boolean {
  return status?.sandbox !== undefined && status.sandbox.endTime === undefined;
}

function placesChanged(slots: SandboxSlots, { type, object, old }: Change<Pod>): void {
  slots.settled(keyText(keyOf(object)));
  const isGoing = object.metadata.deletionTimestamp !== undefined && old?.metadata.deletionTimestamp === undefined;
  const className = object.metadata.labels?.[labels.sandboxClass];
  if (className !== undefined && (type === "deleted" || isGoing)) slots.freed(className);
}
