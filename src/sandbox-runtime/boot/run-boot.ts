import type { BootFailure, Bundle } from "../../api/runtime/bundle.ts";
import type { SandboxEvent } from "../../api/runtime/messages.ts";
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
import { boot } from "./boot.ts";
import { workEnvironment } from "./environment.ts";

type Shared =
  "log" | "clock" | "random" | "socketDirectory" | "secrets" | "images" | "costs" | "skills" | "skillsDirectory";

export interface BootDeps extends Pick<WorkContext, Shared> {
  gatewayUrl: string;
  keyAgents: KeyAgents;
  tunnels: TunnelUrls;
  restore: () => Promise<RestoreOutcome>;
  gateway: Pick<GatewayClient, "report">;
  prompts: Pick<PromptQueue, "booted" | "bootFailed">;
}

const protocols = { exec: ExecConversation, acp: AcpConversation } as const;

/** Boots once, reports how it ended to the gateway, and lets prompts begin or fails them. */
export async function runBoot(deps: BootDeps, bundle: Bundle, agent: AgentChannel): Promise<void> {
  const { log, clock, gateway, prompts } = deps;
  const startMs = clock.monotonicMs();
  log.info("Booting", { repositories: bundle.repositories.length });
  const { context, conversation, failure } = await tryBoot(deps, bundle, agent);
  const durationMs = Math.round(clock.monotonicMs() - startMs);
  if (!context) {
    log.warn("Boot failed", { phase: failure.phase, reason: failure.reason, durationMs });
    gateway.report({ type: "bootFailed", failure });
    prompts.bootFailed(failure.message);
    return;
  }
  log.info("Ready", { durationMs });
  gateway.report({ type: "ready" });
  prompts.booted(context, conversation);
}

type Booted =
  | { context: WorkContext; conversation: Conversation; failure?: undefined }
  | { context?: undefined; conversation?: undefined; failure: BootFailure };

async function tryBoot(deps: BootDeps, bundle: Bundle, agent: AgentChannel): Promise<Booted> {
  const { clock, tunnels } = deps;
  try {
    const publish = (event: SandboxEvent): void => deps.gateway.report({ type: "event", event });
    await deps.keyAgents.open(bundle.repositories);
    const mode = await restoreSaved({ bundle, clock, publish }, deps.restore);
    const fixed = workEnvironment(bundle, deps.gatewayUrl, mode);
    const context: WorkContext = {
      ...deps,
      bundle,
      agent,
      publish,
      mode,
      get environment() {
        return { ...fixed, ...tunnels.environment(bundle.tunnels) };
      },
    };
    const conversation = new protocols[bundle.agent.protocol](context);
    const failure = await boot(context, conversation);
    return failure ? { failure } : { context, conversation };
  } catch (error) {
    // A bundle that does not work, such as one with a malformed URL, fails the boot and not the process.
    const message = `the bundle cannot be used: ${errorCode(error)}`;
    return { failure: { phase: "clone", reason: reasons.cloneFailed, message } };
  }
}
