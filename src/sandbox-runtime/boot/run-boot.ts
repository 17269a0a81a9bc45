import type { BootFailure, Bundle, PassedOver } from "../../api/runtime/bundle.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { AcpConversation } from "../conversation/acp/acp-conversation.ts";
import { ExecConversation } from "../conversation/exec-conversation.ts";
import type { GatewayClient } from "../gateway/gateway-client.ts";
import type { AgentChannel } from "../local/agent-channel.ts";
import { errorCode } from "../log.ts";
import type { PromptQueue } from "../prompts/prompt-queue.ts";
import type { KeyAgents } from "../ssh/key-agent.ts";
import type { TunnelUrls } from "../tunnels/tunnel-urls.ts";
import type { WorkContext } from "../work-context.ts";
import { restoreSaved } from "../workspace/restore-saved.ts";
import type { RestoreOutcome } from "../workspace/workspace-streams.ts";
import { boot, update } from "./boot.ts";
import { type BuildEnd, buildImage } from "./build.ts";
import { workEnvironment } from "./environment.ts";

type Shared =
  | "log"
  | "clock"
  | "random"
  | "socketDirectory"
  | "secrets"
  | "pushWatch"
  | "images"
  | "media"
  | "costs"
  | "skills"
  | "skillsDirectory";

export interface BootDeps extends Pick<WorkContext, Shared> {
  gatewayUrl: string;
  /** When the runtime started, by the monotonic clock. */
  startedMs: number;
  keyAgents: KeyAgents;
  tunnels: TunnelUrls;
  restore: (isRefused: boolean) => Promise<RestoreOutcome>;
  gateway: Pick<GatewayClient, "report">;
  prompts: Pick<PromptQueue, "booted" | "bootFailed">;
}

const protocols = { exec: ExecConversation, acp: AcpConversation } as const;

/** Boots once, reports how it ended to the gateway, and lets prompts begin or fails them. */
export async function runBoot(deps: BootDeps, bundle: Bundle, agent: AgentChannel): Promise<void> {
  const { log, clock, gateway, prompts } = deps;
  const startMs = clock.monotonicMs();
  log.info("Booting", { repositories: bundle.repositories.length });
  if (bundle.build) {
    await runBuild(deps, bundle, agent);
    return;
  }
  const { context, conversation, goneWithout, failure } = await tryBoot(deps, bundle, agent);
  const durationMs = Math.round(clock.monotonicMs() - startMs);
  if (!context) {
    log.warn("Boot failed", { phase: failure.phase, reason: failure.reason, durationMs });
    gateway.report({ type: "bootFailed", failure });
    prompts.bootFailed(failure.message);
    return;
  }
  log.info("Ready", { durationMs });
  gateway.report({ type: "ready", ...said(goneWithout) });
  prompts.booted(context, conversation);
}

/** Builds an image, and reports how it went; the gateway then saves it or ends the attempt. */
async function runBuild(deps: BootDeps, bundle: Bundle, agent: AgentChannel): Promise<void> {
  const { log, gateway } = deps;
  const { note, failure } = await tryBuild(deps, bundle, agent);
  if (failure) {
    log.warn("Build failed", { phase: failure.phase, reason: failure.reason });
    gateway.report({ type: "bootFailed", failure });
    return;
  }
  log.info("Build ended", { result: note.result });
  gateway.report({ type: "built", note });
}

async function tryBuild(deps: BootDeps, bundle: Bundle, agent: AgentChannel): Promise<BuildEnd> {
  try {
    await deps.keyAgents.open(bundle.repositories);
    const context = contextOf(deps, { bundle, agent, mode: "build" });
    return await buildImage(context, deps.clock.monotonicMs() - deps.startedMs);
  } catch (error) {
    return { failure: unusable(error) };
  }
}

function unusable(error: unknown): BootFailure {
  // A bundle that does not work, such as one with a malformed URL, fails the boot and not the process.
  const message = `the bundle cannot be used: ${errorCode(error)}`;
  return { phase: "clone", reason: reasons.cloneFailed, message };
}

type Booted =
  | { context: WorkContext; conversation: Conversation; goneWithout: GoneWithout; failure?: undefined }
  | { context?: undefined; conversation?: undefined; goneWithout?: undefined; failure: BootFailure };

/** What a boot that has succeeded has gone on without. */
interface GoneWithout {
  notUpdated: string[];
  passedOver: PassedOver;
}

function said({ notUpdated, passedOver }: GoneWithout): Partial<GoneWithout> {
  return { ...(notUpdated.length > 0 && { notUpdated }), ...(passedOver.length > 0 && { passedOver }) };
}

async function tryBoot(deps: BootDeps, bundle: Bundle, agent: AgentChannel): Promise<Booted> {
  try {
    await deps.keyAgents.open(bundle.repositories);
    const mode = await restoreSaved({ bundle, clock: deps.clock, publish: publisher(deps) }, deps.restore);
    const context = contextOf(deps, { bundle, agent, mode });
    const conversation = new protocols[bundle.agent.protocol](context);
    const notUpdated = mode === "repo_image" ? await update(context) : [];
    const { failure, passedOver } = await boot(context, conversation);
    return failure ? { failure } : { context, conversation, goneWithout: { notUpdated, passedOver } };
  } catch (error) {
    return { failure: unusable(error) };
  }
}

function publisher({ gateway }: BootDeps): WorkContext["publish"] {
  return (event) => gateway.report({ type: "event", event });
}

function contextOf(deps: BootDeps, given: Pick<WorkContext, "bundle" | "mode"> & { agent: AgentChannel }): WorkContext {
  const { bundle, mode } = given;
  const fixed = workEnvironment(bundle, deps.gatewayUrl, mode);
  return {
    ...deps,
    ...given,
    publish: publisher(deps),
    get environment() {
      return { ...fixed, ...deps.tunnels.environment(bundle.tunnels) };
    },
  };
}
