import type { KubeObject } from "../../src/lib/resource.ts";
import { KubeClient } from "../../src/kube/client.ts";
import { ApiServer } from "./api-server/api-server.ts";
import { keyIn, Store } from "./api-server/store.ts";
import { ArchiveDatabase } from "./archive-database.ts";
import { SimulatedSlack } from "./connector/slack.ts";
import { calm, Faults } from "./faults.ts";
import { Network } from "./network.ts";
import type { PlantedBug } from "./planted-bug.ts";
import { ProcessTransport } from "./process-transport.ts";
import { SeededRandom } from "./seeded-random.ts";
import { ProcessClock, VirtualClock } from "./virtual-clock.ts";
import { WorkspaceStore } from "./workspace-store.ts";

/** What one process of a simulation works with. */
export interface ProcessParts {
  name: string;
  clock: ProcessClock;
  random: SeededRandom;
  client: KubeClient;
}

/** All that the processes of one history share: time, chance, the API server, and what is under way. */
export class Cluster {
  readonly random: SeededRandom;
  readonly clock = new VirtualClock("2026-05-04T10:12:00.000Z");
  readonly network: Network;
  readonly store: Store;
  readonly api: ApiServer;
  readonly faults: Faults;
  readonly workspaces = new WorkspaceStore(this);
  /** In one history of five the release has an archive, which costs a fifth more messages. */
  readonly archive: ArchiveDatabase | undefined;
  /** In one history of ten the release has a connector, which doubles its messages, and the tenant an Integration with Slack. */
  readonly slack: SimulatedSlack | undefined;
  /** What happened, for the print of a history that went wrong. */
  readonly log: string[] = [];

  /** How often an ingress has refused a wrong key. */
  wrongKeys = 0;
  /** A fault of the product that was put in. */
  readonly bug: PlantedBug | undefined;

  constructor(seed: number, bug?: PlantedBug) {
    this.bug = bug;
    this.archive = seed % 5 === 2 ? new ArchiveDatabase(this) : undefined;
    this.random = new SeededRandom(seed);
    this.slack = seed % 10 === 5 ? new SimulatedSlack(this) : undefined;
    this.network = new Network(this.random);
    this.store = new Store(this.clock, this.random);
    this.api = new ApiServer(this.store);
    this.faults = new Faults(this.random, calm);
    this.#collectGarbage();
  }

  /** A clock, chance and connections of a process that is new. */
  newProcess(name: string): ProcessParts {
    const { api, network, faults, bug } = this;
    const clock = new ProcessClock(this.clock);
    clock.jump(bug?.clockMs?.(name) ?? 0);
    const random = new SeededRandom(this.random.below(2 ** 32));
    const transport = new ProcessTransport({ api, network, faults, bug, clock, name });
    return { name, clock, random, client: new KubeClient({ transport, clock, fieldManager: name }) };
  }

  note(what: string): void {
    this.log.push(`${this.clock.monotonicMs()} ms: ${what}`);
  }

  /** Deletes what no owner of is left, as the cluster's collector does, some time later. */
  #collectGarbage(): void {
    const dependents = new Map<string, Map<string, { plural: string; key: string }>>();
    this.store.onChange(({ plural, before, after }) => {
      const object = after ?? before;
      if (!object) return;
      const { namespace, name = "", uid = "", ownerReferences = [] } = object.metadata;
      const place = { plural, key: keyIn(namespace, name) };
      for (const owner of ownerReferences) {
        const known = dependents.get(owner.uid) ?? new Map<string, { plural: string; key: string }>();
        dependents.set(owner.uid, known);
        if (after) known.set(uid, place);
        else known.delete(uid);
        if (after && !before && !this.store.isLive(owner.uid)) this.#collect(place, uid);
      }
      if (after === undefined) for (const [dependent, at] of dependents.get(uid) ?? []) this.#collect(at, dependent);
    });
  }

  #collect({ plural, key }: { plural: string; key: string }, uid: string): void {
    this.network.send(this.network.open(), () => {
      const found = this.store.find(plural, key);
      if (found?.metadata.uid !== uid) return;
      const owners = found.metadata.ownerReferences ?? [];
      if (owners.some((owner) => this.store.isLive(owner.uid))) return;
      this.store.delete(plural, key, undefined, (object) => !runsOnNode(object));
    });
  }
}

function runsOnNode(object: KubeObject): boolean {
  return object.kind === "Pod" && (object as KubeObject & { status?: { phase?: string } }).status?.phase === "Running";
}
