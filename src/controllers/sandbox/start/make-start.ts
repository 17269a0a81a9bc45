import type { Bundle } from "../../../api/runtime/bundle.ts";
import { annotations, safeToEvict } from "../../../api/v1alpha1/names.ts";
import type { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import type { Tunnel } from "../../../api/v1alpha1/session-sandbox.ts";
import { formatTraceparent, parseTraceparent } from "../../../domain/tracing/trace-context.ts";
import { tunnelUrl } from "../../../domain/tunnel-url.ts";
import { makeBundleSecret } from "../bundle/bundle.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { quantityValue } from "../../../lib/quantity.ts";
import type { AttemptEffect } from "../effects.ts";
import type { FoundSettings, ReadyStart } from "../facts.ts";
import type { ChosenImage } from "../images/choose.ts";
import { foreignPolicies } from "../network/foreign-policies.ts";
import { routedUrl } from "../network/tunnel-objects.ts";
import type { AttemptOwner } from "../owner.ts";
import type { WarmSource } from "../pool/revision.ts";
import type { PodClaim } from "../pool/take-warm.ts";
import type { WarmPod } from "../pool/warm-pods.ts";
import { present } from "../present.ts";
import { makeSkillSecrets } from "../skills/pieces.ts";
import { makeSandboxPod, type SandboxEnvironment } from "../pod/pod.ts";

export interface TunnelConfig {
  /** The gateway's address for people, such as `https://gateway.example.com`. */
  peopleUrl: string;
  /** How long `start.sh` waits for the URLs of tunnels. */
  waitSeconds: number;
}

/** What the operator gives to all attempts. */
export interface StartConfig {
  environment: SandboxEnvironment;
  sessionsNamespace: string;
  tunnels: TunnelConfig;
  /** Boot budget in milliseconds. */
  bootTimeoutMs: number;
}

/** Creates policies, stored skills, bundle and pod of one attempt, in this order; a predecessor may have created some of them. */
export function makeStart(
  config: StartConfig,
  owner: AttemptOwner,
  attempt: number,
  ready: ReadyStart,
): AttemptEffect[] {
  const { environment, sessionsNamespace } = config;
  const { inputs, settings } = ready;
  const { used, shown }: Partial<ChosenImage> = ready.image ?? {};
  const { sandboxClass } = inputs;
  const { namespace = "", name = "", uid = "" } = owner.metadata;
  const lifetimeMs = longestLifeMs(settings, config.bootTimeoutMs);
  const pod = makeSandboxPod({ ...podSource(config, owner, ready), owner, attempt, lifetimeMs });
  const tunnels = tunnelsOf(owner, sandboxClass, settings, config.tunnels.peopleUrl);
  const workspaceLimitBytes = Math.floor(quantityValue(sandboxClass.spec.workspaceSizeLimit));
  const bundle: Bundle = {
    version: 1,
    session: { namespace, name, uid, attempt },
    repositories: inputs.repositories,
    environment: inputs.environment,
    agent: inputs.agent,
    ...skillsOf(ready),
    tunnels: { ports: tunnels.map(({ port }) => port), waitSeconds: config.tunnels.waitSeconds },
    ...traceOf(owner),
    ...(owner.keepsWorkspace && { keepsWorkspace: true }),
    ...restores(owner, sandboxClass),
    workspaceLimitBytes,
    ...present({ build: owner.build, image: used?.bundle }),
    ...present({ earlierTurns: owner.earlierTurns, payload: owner.payload }),
  };
  const of = { sessionsNamespace, release: environment.release, namespace };
  return [
    { kind: "ensurePolicies", namespace, sandboxClass },
    ...storing(ready, of),
    { kind: "createBundle", secret: makeBundleSecret(owner, { bundle, githubApps: inputs.githubApps }, of) },
    {
      kind: "createPod",
      pod,
      claim: ready.warm && claimOf(ready.warm, owner, lifetimeMs, pod),
      start: {
        attempt,
        settings,
        tunnels,
        skills: inputs.skills?.fixed,
        image: shown,
        foreignPolicies: foreignPolicies(ready.policies, pod),
        maxUnsavedSeconds: sandboxClass.spec.maxUnsavedSeconds,
        workspaceLimitBytes,
        volumeSnapshotClassName: sandboxClass.spec.workspaceVolume?.volumeSnapshotClassName,
      },
      tunnelRoute: sandboxClass.spec.tunnelRoute,
    },
  ];
}

/** How a pod that waits becomes the attempt's instead of its own pod. */
function claimOf(warm: WarmPod, to: AttemptOwner, lifetimeMs: number | undefined, own: Pod): PodClaim {
  return { warm, to, lifetimeMs, safeToEvict: own.metadata.annotations?.[safeToEvict] };
}

/** What the attempt's pod is made of beside its owner. */
export function podSource({ environment }: StartConfig, owner: AttemptOwner, ready: ReadyStart): WarmSource {
  const { inputs, gatewayCa, gatewayAddresses, hasUserNamespaces, image } = ready;
  const { sandboxClass } = inputs;
  return {
    owner,
    sandboxClass,
    gatewayCa,
    gatewayAddresses,
    hasUserNamespaces,
    environment,
    volumeSnapshotName: savedVolume(owner, sandboxClass),
    architecture: image?.used?.architecture,
  };
}

function skillsOf({ inputs: { skills } }: ReadyStart): Pick<Bundle, "skills"> {
  if (!skills) return {};
  const { digest, pieces } = skills.fixed;
  return { skills: { digest, pieces } };
}

/** Stores the skills of a first attempt. */
function storing({ inputs: { skills } }: ReadyStart, of: Parameters<typeof makeSkillSecrets>[1]): AttemptEffect[] {
  if (!skills?.content) return [];
  const { digest } = skills.fixed;
  const { content } = skills;
  const set = { digest, bytes: content.length, namespace: of.namespace };
  return [{ kind: "storeSkills", set, secrets: makeSkillSecrets({ digest, content }, of) }];
}

/** How long a sandbox may live: boot, then its first prompt for as long as the lifetime, then the saving of its workspace. */
function longestLifeMs({ copied: { lifetimeMs, settings } }: FoundSettings, bootTimeoutMs: number): number | undefined {
  return lifetimeMs === undefined ? undefined : bootTimeoutMs + lifetimeMs + (settings?.finalSnapshotBufferMs ?? 0);
}

/** Where people reach the sandbox's ports: at the class's route, else through the gateway. */
function tunnelsOf(
  { metadata }: AttemptOwner,
  { spec }: SandboxClass,
  { copied }: FoundSettings,
  peopleUrl: string,
): Tunnel[] {
  const { namespace = "", name: session = "" } = metadata;
  const { tunnelRoute } = spec;
  const urlOf = (port: number): string =>
    tunnelRoute ? routedUrl(metadata, port, tunnelRoute) : tunnelUrl(peopleUrl, { namespace, session, port });
  return (copied.settings?.tunnelPorts ?? []).map((port) => ({ port, url: urlOf(port) }));
}

/** The attempt whose workspace the next one begins with. */
function restores(owner: AttemptOwner, sandboxClass: SandboxClass): Pick<Bundle, "restores" | "hasWorkspace"> {
  const { savedWorkspace } = owner;
  if (!savedWorkspace || savedWorkspace.problem !== undefined) return {};
  if (savedWorkspace.volumeSnapshotName === undefined) return { restores: savedWorkspace.attempt };
  // A class that went back to the node's disk cannot begin with a volume.
  return savedVolume(owner, sandboxClass) === undefined ? {} : { hasWorkspace: true };
}

function savedVolume({ savedWorkspace }: AttemptOwner, { spec }: SandboxClass): string | undefined {
  return spec.workspaceVolume && savedWorkspace?.volumeSnapshotName;
}

/** The trace that hooks and agent go on with; an annotation that is no W3C trace context counts as none. */
function traceOf({ metadata }: AttemptOwner): Pick<Bundle, "traceparent"> {
  const trace = parseTraceparent(metadata.annotations?.[annotations.traceparent]);
  return trace ? { traceparent: formatTraceparent(trace) } : {};
}
