import { Buffer } from "node:buffer";
import { bundleDataKey } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { Bundle, BundleTunnels } from "../../api/runtime/bundle.ts";
import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { OperatorSettings } from "../../domain/settings/execution-timeout.ts";
import type { KubeClient } from "../../kube/client.ts";
import { networkPolicies, type Pod, pods, secrets } from "../../kube/core-resources.ts";
import { isAlreadyExists, isForbidden, isInvalid, isNotFound, KubeError } from "../../kube/errors.ts";
import type { KubeLog } from "../../kube/ports.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, keyText, type ObjectMeta } from "../../lib/resource.ts";
import { makeBundleSecret } from "./bundle/bundle.ts";
import { type Checked, checked, refused } from "./refusal.ts";
import { foreignPolicies } from "./network/foreign-policies.ts";
import type { GitHubConfig } from "./bundle/github-app.ts";
import { makeSandboxPod, type SandboxEnvironment } from "./pod/pod.ts";
import type { TenantNamespaces } from "./tenant/tenant-namespaces.ts";
import type { FoundSettings, StartObstacle, UnrecordedStart } from "../session/facts.ts";
import { mayMakeFor } from "./start/standing.ts";
import { foundSettings } from "../session/observe/found-settings.ts";
import type { SandboxSlots } from "./start/slots.ts";
import { openTunnels, routedObjects, tunnelsOf, type TunnelSource } from "./network/tunnels.ts";
import { checkStart, type StartInputs } from "./start/inputs.ts";

export interface SandboxStarterDeps {
  client: Pick<KubeClient, "find" | "get" | "list" | "create">;
  clock: Clock;
  log: KubeLog;
  namespaces: TenantNamespaces;
  slots: SandboxSlots;
  environment: SandboxEnvironment;
  sessionsNamespace: string;
  /** What runtimes trust the gateway by, PEM; empty while there is none. */
  caBundle: () => string;
  operator: OperatorSettings;
  tunnels: TunnelConfig;
  github: GitHubConfig;
}

export interface TunnelConfig {
  /** The gateway's address for people, such as `https://gateway.example.com`. */
  peopleUrl: string;
  /** How long `start.sh` waits for the URLs of tunnels. */
  waitSeconds: number;
}

/** The attempt to be made, as the plan has it. */
export type StartOrder = Pick<UnrecordedStart, "attempt" | "forPromptUID" | "replacement">;

export type StartOutcome = { kind: "started"; start: UnrecordedStart } | StartObstacle;

/** Makes bundle and pod of one attempt, or finds them made by a predecessor who could not say so any more. */
export class SandboxStarter {
  readonly #deps: SandboxStarterDeps;

  constructor(deps: SandboxStarterDeps) {
    this.#deps = deps;
  }

  /** Rejects when something failed that may pass by itself; what needs a person is an obstacle. */
  async start(session: Session, order: StartOrder): Promise<StartOutcome> {
    const { client, namespaces, slots } = this.#deps;
    if (!(await mayMakeFor(client, session))) return { kind: "gone" };
    const inputs = await checkStart(this.#deps, session);
    if (!inputs.ok) return { kind: "refused", refusal: inputs.refusal };
    const { sandboxClass } = inputs.value;
    const className = sandboxClass.metadata.name ?? "";
    const settings = foundSettings(this.#deps.operator, session, inputs.value);
    const pod = this.#makePod(session, order, inputs.value, settings);
    const podKey = keyText(keyOf(pod));
    const { maxSandboxes } = sandboxClass.spec;
    const since = session.metadata.creationTimestamp ?? "";
    if (!slots.take({ className, maxSandboxes, podKey, sessionKey: keyText(keyOf(session)), since })) {
      return { kind: "full", message: `SandboxClass ${className} has its ${maxSandboxes} sandboxes`, settings };
    }
    try {
      await namespaces.ensurePolicies(session.metadata.namespace ?? "", sandboxClass);
      const tunnels = tunnelsOf({ session, sandboxClass }, settings, this.#deps.tunnels.peopleUrl);
      const waitSeconds = this.#deps.tunnels.waitSeconds;
      const forRuntime = { ports: tunnels.map(({ port }) => port), waitSeconds };
      const bundle = await this.#createBundle(session, order.attempt, { ...inputs.value, tunnels: forRuntime });
      if (!bundle.ok) {
        slots.settled(podKey);
        return { kind: "refused", refusal: bundle.refusal };
      }
      const outcome = await this.#startPod(pod, order, { settings, tunnels, session, sandboxClass });
      return outcome.kind === "rejected" ? { ...outcome, bundle: bundle.value } : outcome;
    } catch (error) {
      slots.settled(podKey);
      throw error;
    }
  }

  async #startPod(
    pod: Pod,
    order: StartOrder,
    { settings, tunnels, ...of }: Pick<UnrecordedStart, "settings" | "tunnels"> & TunnelSource,
  ): Promise<StartOutcome> {
    let podUID: string | undefined;
    try {
      const created = await this.#createPod(pod);
      const { metadata } = created;
      podUID = metadata.uid ?? "";
      await openTunnels(this.#deps.client, routedObjects(created, of, tunnels));
      const createTime = this.#deps.clock.now().toISOString();
      const podName = metadata.name ?? "";
      const foreignPolicies = await this.#foreignPolicies(pod);
      const { volumeSnapshotClassName } = of.sandboxClass.spec.workspaceVolume ?? {};
      const known = { settings, tunnels, foreignPolicies, volumeSnapshotClassName };
      const start = { ...order, podName, podUID, createTime, ...known };
      return { kind: "started", start };
    } catch (error) {
      this.#deps.slots.settled(keyText(keyOf(pod)));
      const obstacle = obstacleOf(error, pod, settings);
      return obstacle.kind === "rejected" ? { ...obstacle, podUID } : obstacle;
    }
  }

  /** Only a warning, so what cannot be read is none, and the pod is not waited for. */
  async #foreignPolicies({ metadata }: Pod): Promise<string[]> {
    const { namespace } = metadata;
    const found = await this.#deps.client.list(networkPolicies, { namespace }).catch(() => ({ items: [] }));
    return foreignPolicies(found.items, { metadata });
  }

  #makePod(session: Session, order: StartOrder, { sandboxClass }: StartInputs, { copied }: FoundSettings): Pod {
    const { caBundle, environment } = this.#deps;
    const { lifetimeMs } = copied;
    const gatewayCa = caBundle();
    if (gatewayCa === "") throw new Error("the gateway has no certificate yet");
    const volumeSnapshotName = savedVolume(session, sandboxClass);
    const { attempt } = order;
    return makeSandboxPod({ session, attempt, sandboxClass, lifetimeMs, gatewayCa, environment, volumeSnapshotName });
  }

  async #createBundle(
    session: Session,
    attempt: number,
    { agent, repositories, githubApps, environment, tunnels, sandboxClass }: StartInputs & { tunnels: BundleTunnels },
  ): Promise<Checked<ObjectMeta | undefined>> {
    const { client, sessionsNamespace } = this.#deps;
    const { release } = this.#deps.environment;
    const { namespace = "", name = "", uid = "" } = session.metadata;
    const of = { namespace, name, uid, attempt };
    const bundle = {
      version: 1 as const,
      session: of,
      repositories,
      environment,
      agent,
      tunnels,
      ...restores(session, sandboxClass),
    };
    const secret = makeBundleSecret({ bundle, githubApps }, sessionsNamespace, release);
    try {
      return checked((await client.create(secrets, secret)).metadata);
    } catch (error) {
      // A predecessor got this far; nobody else writes under this session's UID there.
      if (isAlreadyExists(error)) return checked(undefined);
      if (!isInvalid(error) && !isTooLarge(error)) throw error;
      const bytes = Buffer.byteLength(secret.data?.[bundleDataKey] ?? "", "base64");
      return refused(reasons.bundleTooLarge, `the session's bundle of ${bytes} bytes does not fit a Secret`);
    }
  }

  async #createPod(pod: Pod): Promise<Pod> {
    try {
      return await this.#deps.client.create(pods, pod);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return this.#adopt(pod);
    }
  }

  /** A predecessor created it and could not record it; a stranger's pod of that name is left alone. */
  async #adopt(pod: Pod): Promise<Pod> {
    const stored = await this.#deps.client.get(pods, keyOf(pod));
    const owner = pod.metadata.ownerReferences?.[0]?.uid;
    if (stored.metadata.ownerReferences?.some(({ uid, controller }) => uid === owner && controller)) return stored;
    throw new KubeError({
      message: `Pod ${keyText(keyOf(pod))} exists and is not the session's`,
      status: 422,
      reason: "NotOwned",
      delivery: "received",
    });
  }
}

/** The attempt whose workspace the next one begins with. */
function restores(session: Session, sandboxClass: SandboxClass): Pick<Bundle, "restores" | "hasWorkspace"> {
  const { snapshot } = session.status ?? {};
  if (!snapshot) return {};
  if (snapshot.volumeSnapshotName === undefined) return { restores: snapshot.attempt };
  // A class that went back to the node's disk cannot begin with a volume.
  return savedVolume(session, sandboxClass) === undefined ? {} : { hasWorkspace: true };
}

function savedVolume({ status }: Session, { spec }: SandboxClass): string | undefined {
  return spec.workspaceVolume && status?.snapshot?.volumeSnapshotName;
}

/** Says what stands in the way of a pod that was refused; all else is thrown on, to be tried again. */
function obstacleOf(error: unknown, pod: Pod, settings: FoundSettings): StartObstacle {
  const podName = pod.metadata.name ?? "";
  if (isNotFound(error) || hasCause(error, "NamespaceTerminating")) return { kind: "gone" };
  if (isForbidden(error) && error.message.includes("exceeded quota"))
    return { kind: "full", message: error.message, settings };
  if (isForbidden(error) || isInvalid(error)) {
    return { kind: "rejected", podName, message: error.message, bundle: undefined };
  }
  throw error;
}

/** What the API server says of a body beyond its own limit, which is a few times a Secret's. */
function isTooLarge(error: unknown): boolean {
  return error instanceof KubeError && error.status === 413;
}

function hasCause(error: unknown, reason: string): boolean {
  return error instanceof KubeError && (error.details?.causes ?? []).some((cause) => cause.reason === reason);
}
