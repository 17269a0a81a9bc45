import type { EventsLeftOut } from "../api/runtime/events-left-out.ts";
import type { Session } from "../api/v1alpha1/session.ts";
import { rootOf } from "../domain/children/parent.ts";
import { costLimitOf } from "../domain/costs/limit.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Logger } from "../telemetry/logger.ts";
import { isOver } from "./attempts/admission.ts";
import type { Attempt, AttemptId } from "./attempts/attempt.ts";
import { Bundles } from "./attempts/bundles.ts";
import { AttemptLeases } from "./attempts/leases.ts";
import type { AttemptOwner } from "./attempts/owner.ts";
import type { OwnerView } from "./attempts/owner-view.ts";
import type { SessionView } from "./attempts/session-view.ts";
import type { BlobUsage } from "./blobs/blob-usage.ts";
import type { EventUsage } from "./blobs/event-usage.ts";
import type { SharedRoom } from "./events/event-quota.ts";
import { Journal } from "./events/journal.ts";
import type { GatewayMetrics } from "./metrics/gateway-metrics.ts";
import type { ReplicaIdentity } from "./replicas/identity.ts";
import { Hub } from "./runtimes/hub.ts";
import { Prompts } from "./runtimes/prompts.ts";
import type { ConnectedRuntime, Streams } from "./runtimes/streams.ts";
import { Archives } from "./snapshots/archives.ts";
import { Restores } from "./snapshots/restores.ts";
import { Saves } from "./snapshots/saves.ts";

interface Deps {
  client: KubeClient;
  attemptLeaseClient?: KubeClient | undefined;
  blobs: BlobStore;
  clock: Clock;
  random: Random;
  logger: Logger;
  release: { name: string; namespace: string; sessionsNamespace: string };
  generatedMedia?: boolean | undefined;
}

interface Parts {
  metrics: GatewayMetrics;
  sessions: SessionView;
  owners: OwnerView;
  streams: Streams;
  identity: ReplicaIdentity;
  usage: BlobUsage;
  eventUsage: EventUsage;
}

/** The hub of connected runtimes, with the saves and the Leases of their attempts. */
export function makeHub(
  { client, attemptLeaseClient, blobs, clock, random, logger, release, generatedMedia: takesMedia = false }: Deps,
  { metrics, sessions, owners, streams, identity, usage, eventUsage }: Parts,
): { hub: Hub; saves: Saves; leases: AttemptLeases } {
  const namespace = release.sessionsNamespace;
  const bundles = new Bundles({ client, namespace });
  const session = (uid: string): Session | undefined => sessions.byUid(uid);
  const owner = (uid: string): AttemptOwner | undefined => owners.byUid(uid);
  const goesOn = ({ sessionUid, attempt }: AttemptId): boolean => {
    const found = owner(sessionUid);
    return found !== undefined && !isOver(found, attempt);
  };
  const forLeases = { client: attemptLeaseClient ?? client, bundles, clock, logger, namespace };
  const leases = new AttemptLeases({ ...forLeases, identity, goesOn });
  const runtime = (target: AttemptId): ConnectedRuntime | undefined => hub.runtime(target);
  const archives = new Archives({ blobs, usage, random, logger });
  const workspaces = { clock, logger, archives, streams, owner, runtime };
  const restores = new Restores({ ...workspaces, leases });
  const sharedRoom = (ofNamespace: string): SharedRoom => ({
    full: (isEssential) => {
      const bound = eventUsage.fullFor(ofNamespace, isEssential);
      return bound && { bound, message: eventUsage.because(bound, ofNamespace) };
    },
    add: (bytes) => eventUsage.add(ofNamespace, bytes),
    refused: (bound) => metrics.eventsDropped.inc({ bound }),
  });
  const leftOut = (attempt: Attempt, why: EventsLeftOut): void => void leases.leftOut(attempt, why);
  const hub = new Hub({
    clock,
    logger,
    metrics,
    release,
    bundles,
    leases,
    prompts: new Prompts({ client, clock, takesMedia }),
    accepts: takesMedia ? ["usage", "media"] : ["usage"],
    openJournal: (user) =>
      new Journal({ store: blobs, clock, writer: random.bytes(4).toString("hex"), shared: sharedRoom, leftOut }, user),
    restore: (attempt, isRefused) => restores.begin(attempt, isRefused),
    hasCostLimit: (uid) => {
      const found = session(uid);
      return found !== undefined && costLimitOf(rootOf(found, (above) => session(above.uid))) !== "";
    },
    session: owner,
  });
  const waits = (): void => metrics.overShare.inc({ budget: "saves" });
  return { hub, saves: new Saves({ ...workspaces, leases, waits }), leases };
}
