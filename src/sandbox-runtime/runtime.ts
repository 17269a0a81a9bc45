import type { BootFailure, Bundle } from "../api/runtime/bundle.ts";
import type { SandboxEvent } from "../api/runtime/messages.ts";
import { childrenPath } from "../api/runtime/children.ts";
import { credentialsPath } from "../api/runtime/git-credentials.ts";
import { sandboxPath } from "../api/runtime/pod-contract.ts";
import { reasons } from "../api/v1alpha1/reasons.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { sleep } from "../lib/sleep.ts";
import type { Conversation } from "./conversation/conversation.ts";
import { conversationOf } from "./conversation/protocols.ts";
import { GatewayClient } from "./gateway/gateway-client.ts";
import { ImageClient, type ImageSource } from "./gateway/image-client.ts";
import { GatewayRequests } from "./gateway/gateway-requests.ts";
import type { AgentChannel } from "./local/agent-channel.ts";
import { RefusalCount } from "./local/refusal-count.ts";
import { SocketServer } from "./local/socket-server.ts";
import { errorCode, type RuntimeLog } from "./log.ts";
import { boot } from "./steps/boot.ts";
import { findRepository } from "./steps/credentials.ts";
import { workEnvironment } from "./steps/environment.ts";
import { MintedCredentials } from "./steps/minted-credentials.ts";
import { PromptQueue } from "./steps/prompt-queue.ts";
import { secretsOf, withoutSecrets } from "./steps/redaction.ts";
import type { WorkContext } from "./steps/work-context.ts";
import { KeyAgents } from "./ssh/key-agent.ts";
import { TunnelUrls } from "./tunnels/tunnel-urls.ts";
import { bringBack } from "./workspace/bring-back.ts";
import { type Restored, WorkspaceStreams } from "./workspace/workspace-streams.ts";

export interface RuntimeDeps {
  log: RuntimeLog;
  clock: Clock;
  random: Random;
  gatewayUrl: string;
  sessionUid: string;
  attempt: number;
  tokenFile: string;
  caFile: string;
  socketDirectory: string;
  /** Ends everything. */
  signal: AbortSignal;
}

type Reporter = Pick<GatewayClient, "report">;

/** How long the agent's container may take to end, in milliseconds. */
const leaveMs = 5_000;

/**
 * The sandbox's own side of a session: gets the bundle, boots, takes prompts, reports; until the gateway says that the
 * attempt is over.
 */
export async function runRuntime(deps: RuntimeDeps): Promise<void> {
  const stop = new AbortController();
  deps.signal.addEventListener("abort", () => stop.abort(), { once: true });
  const bundle = Promise.withResolvers<Bundle>();
  let known: Bundle | undefined;
  const { log, clock, random, tokenFile, caFile } = deps;
  const url = deps.gatewayUrl + sandboxPath(deps.sessionUid, deps.attempt);
  const asking = { log, clock, url, tokenFile, caFile };
  const children = new GatewayRequests({ ...asking, path: childrenPath });
  const credentials = new GatewayRequests({ ...asking, path: credentialsPath });
  const refused = new RefusalCount();
  const secrets: string[] = [];
  const minted = new MintedCredentials({
    clock,
    ask: (wanted) => credentials.ask(wanted),
    learned: (password) => void secrets.push(password),
  });
  const sockets = new SocketServer({
    directory: deps.socketDirectory,
    log: deps.log,
    credential: async (request) => {
      const repository = findRepository(known?.repositories ?? [], request);
      return repository?.mintsCredential ? minted.get(repository.name) : (repository?.credential ?? {});
    },
    child: (request) => children.ask(request),
    refused: (kind) => refused.add(kind),
  });
  await sockets.listen();

  const gateway = new GatewayClient({ log, clock, random, url, tokenFile, caFile });
  const reporter: Reporter = { report: (message) => gateway.report(withoutSecrets(message, secrets)) };
  const tunnels = new TunnelUrls();
  const prompts = new PromptQueue((outcome) => {
    log.info("Prompt ended", { verdict: outcome.verdict, droppedEvents: gateway.dropped });
    reporter.report({ type: "promptFinished", outcome });
  });
  const streams = new WorkspaceStreams({
    ...deps,
    sockets,
    bundle: () => known,
    stopPrompts: () => prompts.stop(),
  });
  const restore = (): Promise<Restored> => streams.restored(() => gateway.send({ type: "restore" }));
  const images = new ImageClient(asking);
  const keyAgents = new KeyAgents(deps.socketDirectory);
  const parts = { bundle: bundle.promise, agent: sockets.agent, tunnels, restore, images, secrets, keyAgents };
  void bootWhenPossible(deps, parts, reporter, prompts);

  await gateway.run(
    {
      hello: () => ({ needsBundle: known === undefined, isReady: prompts.isReady, openPrompts: prompts.open }),
      refused: () => refused.take(),
      heard: (message) => {
        if (message.type === "bundle") {
          if (!known) secrets.push(...secretsOf(message.bundle));
          known ??= message.bundle;
          bundle.resolve(known);
        } else if (message.type === "prompt")
          prompts.add(message.prompt, { text: message.text, images: message.images ?? [] });
        else if (message.type === "cancel") prompts.cancel(message.promptUid);
        else if (message.type === "tunnels") tunnels.learn(message.urls);
        else if (message.type === "openStream") streams.open(message);
        else stop.abort();
      },
    },
    stop.signal,
  );
  await leave(deps, sockets);
  keyAgents.close();
}

interface BootParts {
  secrets: readonly string[];
  keyAgents: KeyAgents;
  tunnels: TunnelUrls;
  restore: () => Promise<Restored>;
  images: ImageSource;
}

async function bootWhenPossible(
  deps: RuntimeDeps,
  parts: { bundle: Promise<Bundle>; agent: Promise<AgentChannel> } & BootParts,
  gateway: Reporter,
  prompts: PromptQueue,
): Promise<void> {
  const [bundle, agent] = await Promise.all([parts.bundle, parts.agent]);
  const { log, clock } = deps;
  const startMs = clock.monotonicMs();
  log.info("Booting", { repositories: bundle.repositories.length });
  const { context, conversation, failure } = await bootOnce(deps, { ...parts, bundle, agent }, gateway);
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

async function bootOnce(
  deps: RuntimeDeps,
  { bundle, agent, tunnels, restore, images, secrets, keyAgents }: { bundle: Bundle; agent: AgentChannel } & BootParts,
  gateway: Reporter,
): Promise<Booted> {
  const { log, clock, random } = deps;
  try {
    const publish = (event: SandboxEvent): void => gateway.report({ type: "event", event });
    await keyAgents.open(bundle.repositories);
    const mode = await bringBack({ bundle, clock, publish }, restore);
    const fixed = workEnvironment(bundle, deps.gatewayUrl, mode);
    const context: WorkContext = {
      bundle,
      agent,
      clock,
      random,
      log,
      publish,
      secrets,
      socketDirectory: deps.socketDirectory,
      mode,
      tunnels,
      images,
      get environment() {
        return { ...fixed, ...tunnels.environment(bundle.tunnels) };
      },
    };
    const conversation = conversationOf(context);
    const failure = await boot(context, conversation);
    return failure ? { failure } : { context, conversation };
  } catch (error) {
    // A bundle that cannot be worked with, such as a URL that is none: to be told, not to die of.
    const message = `the bundle cannot be used: ${errorCode(error)}`;
    return { failure: { phase: "clone", reason: reasons.cloneFailed, message } };
  }
}

/** The agent's container ends before this one, so that nothing of it outlives the attempt. */
async function leave({ clock, log }: RuntimeDeps, sockets: SocketServer): Promise<void> {
  sockets.close();
  const agent = await Promise.race([sockets.agent, Promise.resolve(undefined)]);
  if (agent && !agent.isClosed) {
    agent.shutDown();
    await Promise.race([agent.closed, sleep(clock, leaveMs)]);
  }
  log.info("Ended");
}
