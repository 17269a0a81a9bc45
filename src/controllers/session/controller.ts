import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { attemptName, labels } from "../../api/v1alpha1/names.ts";
import type { OperatorSettings } from "../../domain/settings/execution-timeout.ts";
import { parentReference } from "../../domain/children/parent.ts";
import type { Change } from "../../kube/cache.ts";
import type { KubeClient } from "../../kube/client.ts";
import { Controller, type ControllerDeps } from "../../kube/controller.ts";
import type { Pod } from "../../kube/core-resources.ts";
import type { EventFacts } from "../../kube/event-recorder.ts";
import type { KubeLog } from "../../kube/ports.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, keyText, type ObjectKey, parseKey } from "../../lib/resource.ts";
import type { GitHubConfig } from "../sandbox/bundle/github-app.ts";
import type { SandboxEnvironment } from "../sandbox/pod/pod.ts";
import type { TenantNamespaces } from "../sandbox/tenant/tenant-namespaces.ts";
import type { SessionLimits } from "./decide/status.ts";
import {
  childMatters,
  childrenMatter,
  leaseMatters,
  podMatters,
  promptMatters,
  sessionKeysOf,
  sessionMatters,
} from "./predicates.ts";
import { collectLeftovers } from "./observe/leftovers.ts";
import { failLostPrompts } from "./observe/lost-prompts.ts";
import { GatewayPresence } from "../sandbox/observe/gateway-presence.ts";
import { Heartbeats } from "../sandbox/observe/heartbeats.ts";
import { byClassIndex, byParentIndex, type SessionInformers } from "../sandbox/informers.ts";
import { type Observe, observeSession } from "./observe.ts";
import { SessionReconciler } from "./reconciler.ts";
import { takesPlace } from "../sandbox/observe/own-pods.ts";
import { SandboxSlots } from "../sandbox/start/slots.ts";
import { SandboxStarter, type TunnelConfig } from "../sandbox/effects.ts";

export interface SessionControllerDeps extends Omit<ControllerDeps, "log"> {
  client: KubeClient;
  clock: Clock;
  log: KubeLog;
  informers: SessionInformers;
  events: { record(event: EventFacts): void };
  /** Shared with the namespace controller, which watches what it keeps. */
  namespaces: TenantNamespaces;
  environment: SandboxEnvironment;
  sessionsNamespace: string;
  /** What runtimes trust the gateway by, PEM; empty while there is none. */
  caBundle: () => string;
  limits: SessionLimits;
  operator: OperatorSettings;
  tunnels: TunnelConfig;
  github: GitHubConfig;
}

/** Begins and ends with a term of leadership; a new term needs a new one, since its clocks begin anew. */
export interface SessionController {
  start(): Promise<void>;
  stop(graceMs?: number): Promise<void>;
}

/** The controller of sessions. The caller starts the informers, and this when it leads. */
export function sessionController(deps: SessionControllerDeps): SessionController {
  const { clock, informers, sessionsNamespace } = deps;
  // Queue, client and reconciler need one another; none is used before the controller starts.
  const late: { reconciler?: SessionReconciler } = {};
  const controller = new Controller(deps, {
    name: "session",
    concurrency: 8,
    reconciler: {
      reconcile: (key) => reconcilerOf(late).reconcile(key),
      failed: (key, error) => reconcilerOf(late).failed(key, error),
    },
  });
  const client = controller.clientOf(deps.client);
  const slots = new SandboxSlots(
    (className) => podKeysOfClass(informers, className),
    (sessionKey) => controller.enqueue(parseKey(sessionKey)),
  );
  const gateways = new GatewayPresence(clock);
  const heartbeats = new Heartbeats(clock, gateways, (name, key) => {
    if (isCurrent(informers.sessions.get(key), name)) controller.enqueue(key);
    else heartbeats.forget(name);
  });
  const observe: Observe = (session, start) =>
    observeSession({ client, clock, informers, gateways, heartbeats, sessionsNamespace }, session, start);
  late.reconciler = new SessionReconciler({
    ...deps,
    client,
    slots,
    observe,
    collect: (key) => collectLeftovers({ client, informers }, key),
    failLost: (key) => failLostPrompts({ client, clock, informers }, key),
    starter: new SandboxStarter({ ...deps, client, slots }),
  });
  watchAll(controller, deps);
  return whileFollowing(controller, () => follow(informers, { gateways, heartbeats, slots }));
}

/** Whether the session's sandbox goes on and is the one that beats under this name. */
function isCurrent(session: Session | undefined, leaseName: string): boolean {
  const { sandbox } = session?.status ?? {};
  const isOver = !sandbox || sandbox.endTime !== undefined;
  return !isOver && attemptName(session?.metadata.uid ?? "", sandbox.attempt) === leaseName;
}

function reconcilerOf({ reconciler }: { reconciler?: SessionReconciler }): SessionReconciler {
  if (!reconciler) throw new Error("the reconciler is set before the controller starts");
  return reconciler;
}

function whileFollowing(controller: Controller, follow: () => () => void): SessionController {
  let unfollow: (() => void) | undefined;
  return {
    start() {
      unfollow = follow();
      return controller.start();
    },
    async stop(graceMs) {
      unfollow?.();
      await controller.stop(graceMs);
    },
  };
}

function watchAll(controller: Controller, { informers, clock }: SessionControllerDeps): void {
  controller.watch(informers.sessions, { keysOf: (session) => [keyOf(session)], when: sessionMatters });
  controller.watch(informers.sessions, {
    keysOf: ({ metadata }) => informers.sessions.byIndex(byParentIndex, metadata.uid ?? "").map(keyOf),
    when: childrenMatter,
  });
  controller.watch(informers.sessions, { keysOf: parentKeysOf, when: childMatters });
  controller.watch(informers.prompts, {
    keysOf: (prompt) => sessionKeysOfPrompt(prompt).flatMap((key) => parentKeysOf(informers.sessions.get(key))),
    when: (change) => promptMatters(change, sessionOf(informers, sessionKeysOfPrompt(change.object))),
  });
  controller.watch(informers.prompts, {
    keysOf: sessionKeysOfPrompt,
    when: (change) => promptMatters(change, sessionOf(informers, sessionKeysOfPrompt(change.object))),
  });
  controller.watch(informers.pods, {
    keysOf: sessionKeysOf,
    when: (change) => podMatters(change, sessionOf(informers, sessionKeysOf(change.object))),
  });
  controller.watch(informers.leases, {
    keysOf: sessionKeysOf,
    when: (change) => leaseMatters(change, sessionOf(informers, sessionKeysOf(change.object)), clock.now()),
  });
  // No events of their own, but the caches must be there and read our own writes.
  controller.watch(informers.secrets, { keysOf: () => [] });
  controller.watch(informers.sandboxClasses, { keysOf: () => [] });
  controller.watch(informers.gatewayLeases, { keysOf: () => [] });
}

function parentKeysOf(session: Session | undefined): ObjectKey[] {
  const parent = session && parentReference(session);
  return parent ? [{ namespace: session.metadata.namespace, name: parent.name }] : [];
}

function sessionKeysOfPrompt({ metadata, spec }: Prompt): ObjectKey[] {
  return [{ namespace: metadata.namespace, name: spec.sessionRef.name }];
}

function sessionOf({ sessions }: Pick<SessionInformers, "sessions">, [key]: readonly ObjectKey[]): Session | undefined {
  return key && sessions.get(key);
}

/** `namespace/name` of the pods that take a place in a class. */
export function podKeysOfClass(informers: Pick<SessionInformers, "pods" | "sessions">, className: string): Set<string> {
  const counted = informers.pods
    .byIndex(byClassIndex, className)
    .filter((pod) => takesPlace(sessionOf(informers, sessionKeysOf(pod)), pod));
  return new Set(counted.map((pod) => keyText(keyOf(pod))));
}

interface Followers {
  gateways: GatewayPresence;
  heartbeats: Heartbeats;
  slots: SandboxSlots;
}

/** What heartbeats and places go by, beside the work queue. */
function follow(informers: SessionInformers, { gateways, heartbeats, slots }: Followers): () => void {
  gateways.begin();
  heartbeats.restart();
  const stops = [
    informers.leases.onChange((change) => heartbeats.leaseChanged(change)),
    informers.leases.onListed(() => heartbeats.restart()),
    informers.gatewayLeases.onChange((change) => {
      if (gateways.changed(change)) heartbeats.restart();
    }),
    informers.pods.onChange((change) => placesChanged(slots, change)),
    informers.sandboxClasses.onChange(({ object }) => slots.changed(object.metadata.name ?? "")),
    () => heartbeats.stop(),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function placesChanged(slots: SandboxSlots, { type, object, old }: Change<Pod>): void {
  slots.settled(keyText(keyOf(object)));
  const isGoing = object.metadata.deletionTimestamp !== undefined && old?.metadata.deletionTimestamp === undefined;
  const className = object.metadata.labels?.[labels.sandboxClass];
  if (className !== undefined && (type === "deleted" || isGoing)) slots.freed(className);
}
