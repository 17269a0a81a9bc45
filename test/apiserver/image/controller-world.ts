import {
  annotations,
  attemptName,
  labels,
  PrebuiltImage,
  type PrebuiltImageSpec,
  type Repository,
} from "../../../src/api/v1alpha1/index.ts";
import type { BuildNote } from "../../../src/api/runtime/build.ts";
import type { BootFailure, BootPhaseNote, SnapshotNote } from "../../../src/api/runtime/bundle.ts";
import { imageController } from "../../../src/controllers/image/controller.ts";
import { kindInformers } from "../../../src/controllers/kind-informers.ts";
import { SecretsMacKey } from "../../../src/controllers/sandbox/images/secrets-mac.ts";
import { sandboxInformers } from "../../../src/controllers/sandbox/informers.ts";
import { podKeysOfClass } from "../../../src/controllers/sandbox/observe/class-pods.ts";
import { SandboxSlots } from "../../../src/controllers/sandbox/start/slots.ts";
import { SkillSetUse } from "../../../src/controllers/sandbox/skills/set-use.ts";
import { TenantNamespaces } from "../../../src/controllers/sandbox/tenant/tenant-namespaces.ts";
import { distantOwnerLabels } from "../../../src/domain/attempts/owner-labels.ts";
import { leases, type Pod, secrets } from "../../../src/kube/core-resources.ts";
import type { Informer } from "../../../src/kube/informer.ts";
import { microTime } from "../../../src/kube/micro-time.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import { aRunningPodStatus } from "../../support/builders.ts";
import { ControllersAtWork } from "../../support/controllers-at-work.ts";
import { privateNetwork } from "../../support/private-network.ts";
import { type Trouble, troubled } from "../../support/trouble.ts";
import { limits, type World } from "../session/world.ts";

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** The controller of prebuilt images, as the operator runs it. */
export interface ImageControllerAtWork {
  /** What it wrote, as `patch PrebuiltImage/status`, failed ones too. */
  readonly writes: string[];
  readonly work: ControllersAtWork;
  /** In which the test may have sessions. */
  readonly classPlaces: SandboxSlots;
  stop(): Promise<void>;
}

export async function startImageController(world: World, trouble: Trouble = {}): Promise<ImageControllerAtWork> {
  const writes: string[] = [];
  const { namespace, sessionsNamespace, release, clock, operatorSettings } = world;
  const reads = { client: world.operatorClient, clock: systemClock, random: systemRandom };
  const { prebuiltImages, repositories, environments, sandboxClasses, sessions } = kindInformers(reads, { namespace });
  const informers = {
    ...{ prebuiltImages, repositories, environments, sandboxClasses, sessions },
    ...sandboxInformers(reads, { release, sessionsNamespace, namespaces: [namespace] }),
  };
  const followed = Object.values(informers) as Informer<KubeObject>[];
  const work = new ControllersAtWork(world.client, followed);
  const client = world.operatorClient.withHooks(troubled(trouble, writes));
  const classPlaces = new SandboxSlots(
    (className) => podKeysOfClass(informers, className),
    () => undefined,
  );
  const controller = imageController({
    client,
    clock,
    random: systemRandom,
    informers,
    log: silent,
    events: { record: () => undefined },
    namespaces: new TenantNamespaces({ client, clock, release, gatewayPort: 8443, network: privateNetwork }),
    skillSets: new SkillSetUse(clock),
    operator: { settings: operatorSettings },
    github: { apiURLs: [] },
    caBundle: () => "PEM",
    gatewayAddresses: () => Promise.resolve(["10.96.0.9"]),
    hasUserNamespaces: () => false,
    macKey: new SecretsMacKey({ client, random: systemRandom, sessionsNamespace }),
    classPlaces,
    rules: {
      limits: { bootTimeoutMs: limits.bootTimeoutMs },
      start: {
        environment: { release, image: "sandbox:1", gatewayUrl: "wss://gateway.invalid:8443" },
        sessionsNamespace,
        tunnels: { peopleUrl: "https://gateway.invalid", waitSeconds: 30 },
        bootTimeoutMs: limits.bootTimeoutMs,
      },
    },
    metrics: work.metrics,
  });
  for (const informer of followed) informer.start();
  await Promise.all(followed.map((informer) => informer.synced()));
  await controller.start();
  const stopWaiting = world.time.waitFor(work);
  return {
    writes,
    work,
    classPlaces,
    async stop() {
      stopWaiting();
      await controller.stop(0);
      await Promise.all(followed.map((informer) => informer.stop()));
    },
  };
}

/** One PrebuiltImage of a world, whose kubelet, runtime and gateway are the test. */
export class ImageUnderTest {
  readonly name: string;
  readonly #world: World;
  readonly #defaults: { bootFailure: object; bootPhase: object; built: object; snapshot: object };

  constructor(world: World, name = "web") {
    this.#world = world;
    this.name = name;
    const commits = [{ repository: name, commit: "a".repeat(40) }];
    const built = { result: "Built", commits, runtimeVersion: 1, architecture: "amd64" };
    this.#defaults = { bootFailure: { phase: "setup" }, bootPhase: {}, built, snapshot: {} };
  }

  /** Makes it, and the Repository of its name, which it resolves with. */
  async create(repository: object = {}, spec: Partial<PrebuiltImageSpec> = {}): Promise<Repository> {
    const { client, namespace } = this.#world;
    const made = await this.#world.createRepository(this.name, repository);
    const of = spec.environmentRef ? {} : { repositoryRef: { name: this.name } };
    const own = { ...of, sandboxClassName: namespace, serviceAccountName: "runner", suspend: false };
    await client.create(PrebuiltImage, { metadata: { namespace, name: this.name }, spec: { ...own, ...spec } });
    return made;
  }

  read(): Promise<PrebuiltImage> {
    return this.#world.client.get(PrebuiltImage, { namespace: this.#world.namespace, name: this.name });
  }

  /** Waits until its status is so; time goes on by `stepMs` for each look. */
  until(
    what: string,
    isSo: (status: NonNullable<PrebuiltImage["status"]>) => boolean,
    stepMs = 0,
  ): Promise<PrebuiltImage> {
    const find = async (): Promise<PrebuiltImage | undefined> => {
      const image = await this.read();
      return isSo(image.status ?? {}) ? image : undefined;
    };
    return this.#world.time.find(`image ${this.name}: ${what}`, find, { stepMs });
  }

  async pod(number: number): Promise<Pod | undefined> {
    const { metadata } = await this.read();
    const isIts = ({ metadata: { labels: own = {} } }: Pod): boolean =>
      own[labels.ownerUid] === metadata.uid && own[labels.attempt] === String(number);
    return (await this.#world.pods()).find(isIts);
  }

  /** Waits until build `number` has its number, its pod and its bundle. */
  async begun(number: number): Promise<PrebuiltImage> {
    const { client, sessionsNamespace } = this.#world;
    const image = await this.until(`build ${number} goes on`, ({ build }) => build?.number === number);
    const key = { namespace: sessionsNamespace, name: attemptName(image.metadata.uid ?? "", number) };
    await this.#world.time.find("its bundle is there", () => client.find(secrets, key));
    return image;
  }

  /** The kubelet starts the containers of a build's pod now; its node's clock is ahead by `aheadMs`. */
  async run(number: number, aheadMs = 0): Promise<void> {
    const pod = await this.pod(number);
    const startedAt = new Date(this.#world.clock.now().getTime() + aheadMs).toISOString();
    await this.#world.reportPod(pod?.metadata.name ?? "", aRunningPodStatus(startedAt));
  }

  /** The runtime of a build connects; the gateway makes its Lease. */
  async connect(number: number): Promise<void> {
    const { client, clock, sessionsNamespace } = this.#world;
    const { metadata } = await this.read();
    const key = { namespace: sessionsNamespace, name: attemptName(metadata.uid ?? "", number) };
    const bundle = await client.get(secrets, key);
    await client.create(leases, {
      metadata: {
        ...key,
        labels: distantOwnerLabels({ resource: PrebuiltImage, metadata }),
        annotations: { [annotations.connectedTime]: clock.now().toISOString() },
        ownerReferences: [{ apiVersion: "v1", kind: "Secret", name: key.name, uid: bundle.metadata.uid ?? "" }],
      },
      spec: { renewTime: microTime(clock.now()) },
    });
  }

  /** The gateway notes on the Lease what the runtime has reported. */
  async note(
    number: number,
    said: {
      bootFailure?: Omit<BootFailure, "phase">;
      bootPhase?: BootPhaseNote;
      built?: Partial<BuildNote>;
      snapshot?: SnapshotNote;
    },
  ): Promise<void> {
    const { client, sessionsNamespace } = this.#world;
    const { metadata } = await this.read();
    const noted = Object.entries(said).map(([kind, note]) => [
      annotations[kind as keyof typeof said],
      JSON.stringify({ ...this.#defaults[kind as keyof typeof said], ...note }),
    ]);
    await client.patch(
      leases,
      { namespace: sessionsNamespace, name: attemptName(metadata.uid ?? "", number) },
      { metadata: { annotations: Object.fromEntries(noted) as Record<string, string> } },
    );
  }

  /** Build `number` goes on in a sandbox that is connected. */
  async boot(number: number): Promise<void> {
    await this.begun(number);
    await this.run(number);
    await this.connect(number);
  }

  /** Build `number` fails as the runtime reports it. */
  async fail(number: number, failure: Omit<BootFailure, "phase">): Promise<PrebuiltImage> {
    await this.boot(number);
    await this.note(number, { bootFailure: failure });
    return this.until(`build ${number} has failed`, ({ build, sandbox, failures }) => {
      return build === undefined && sandbox?.attempt === number && failures !== undefined;
    });
  }

  /** A check, which is build `number`, finds the branches as they were. */
  async findNothing(number: number): Promise<PrebuiltImage> {
    await this.boot(number);
    await this.note(number, { built: { result: "Unchanged" } });
    return this.until("it was checked", ({ build, sandbox }) => build === undefined && sandbox?.attempt === number);
  }

  /** A person requests a build. */
  async request(value: string): Promise<void> {
    const metadata = { annotations: { [annotations.rebuildRequestedAt]: value } };
    await this.#world.client.patch(PrebuiltImage, { namespace: this.#world.namespace, name: this.name }, { metadata });
  }

  /** Build `number` is carried out and stored. */
  async build(number: number): Promise<PrebuiltImage> {
    await this.boot(number);
    await this.note(number, { built: {} });
    await this.until("it is being stored", ({ build }) => build?.step === "Saving");
    await this.note(number, { snapshot: { bytes: 5, archive: `a${number}`, digest: `sha256:${"d".repeat(64)}` } });
    return this.until(`build ${number} is over`, ({ build, image }) => build === undefined && image?.build === number);
  }
}
