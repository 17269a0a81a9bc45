import type { Bundle } from "../api/runtime/bundle.ts";
import { childrenPath } from "../api/runtime/children.ts";
import { protocolLimits } from "../api/runtime/limits.ts";
import type { SandboxEvent } from "../api/runtime/messages.ts";
import { credentialsPath } from "../api/runtime/git-credentials.ts";
import { sandboxPath } from "../api/runtime/pod-contract.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { sleep } from "../lib/sleep.ts";
import type { RuntimeConfig } from "./config.ts";
import { DeletedPod } from "./deleted-pod.ts";
import { GatewayClient } from "./gateway/gateway-client.ts";
import { SkillClient } from "./gateway/skill-client.ts";
import { ImageClient } from "./gateway/image-client.ts";
import { GatewayRequests } from "./gateway/gateway-requests.ts";
import { RefusalCount } from "./local/refusal-count.ts";
import { SocketServer } from "./local/socket-server.ts";
import { errorCode, type RuntimeLog } from "./log.ts";
import { MediaClient } from "./media/media-client.ts";
import { runBoot } from "./boot/run-boot.ts";
import { CostMeter } from "./conversation/cost-meter.ts";
import { findRepository } from "./git/find-repository.ts";
import { MintedCredentials } from "./git/minted-credentials.ts";
import { PromptQueue } from "./prompts/prompt-queue.ts";
import { secretsOf, withEncodedForms, withoutSecrets } from "./output/redaction.ts";
import { PushWatch } from "./git/push-watch.ts";
import { KeyAgents } from "./ssh/key-agent.ts";
import { TunnelUrls } from "./tunnels/tunnel-urls.ts";
import { WorkspaceStreams } from "./workspace/workspace-streams.ts";

export interface RuntimeDeps extends RuntimeConfig {
  log: RuntimeLog;
  clock: Clock;
  random: Random;
  socketDirectory: string;
  /** The pod is being deleted. */
  signal: AbortSignal;
}

/** How long the agent's container may take to end, in milliseconds. */
const leaveMs = 5_000;

/**
 * The runtime's container: gets the bundle, boots, runs prompts and reports to the gateway. Resolves when the gateway ends
 * the attempt, or after the signal as {@link DeletedPod} says.
 */
export async function runRuntime(deps: RuntimeDeps): Promise<void> {
  const startedMs = deps.clock.monotonicMs();
  const stop = new AbortController();
  const bundle = Promise.withResolvers<Bundle>();
  let known: Bundle | undefined;
  const { log, clock, random, tokenFile, caFile } = deps;
  const url = deps.gatewayUrl + sandboxPath(deps.sessionUid, deps.attempt);
  const requestDeps = { log, clock, url, tokenFile, caFile };
  const children = new GatewayRequests({ ...requestDeps, path: childrenPath });
  const credentials = new GatewayRequests({ ...requestDeps, path: credentialsPath });
  const refused = new RefusalCount(() => gateway.reportRefusals());
  const secrets: string[] = [];
  const minted = new MintedCredentials({
    clock,
    ask: (wanted) => credentials.ask(wanted),
    onPassword: (password) => void secrets.push(...withEncodedForms([password])),
  });
  const sockets = new SocketServer({
    directory: deps.socketDirectory,
    log: deps.log,
    credential: async (request) => {
      const repository = findRepository(known?.repositories ?? [], request);
      if (!repository) refused.add("credential");
      return repository?.mintsCredential ? minted.get(repository.name) : (repository?.credential ?? {});
    },
    child: (request) => children.ask(request),
    pullRequest: (text) => prompts.wantPullRequest(text),
    tools: () => ({ media: gateway.takesMedia }),
    media: async (file, content) => (gateway.takesMedia ? prompts.attach(file, content) : noMedia),
    refused: (kind) => refused.add(kind),
  });
  await sockets.listen();

  const gateway = new GatewayClient({ log, clock, random, url, tokenFile, caFile });
  const reporter: Pick<GatewayClient, "report"> = {
    report: (message) => gateway.report(withoutSecrets(message, secrets)),
  };
  const costs = new CostMeter({
    changed: (costUsd) => gateway.reportCost(costUsd),
    refused: ({ isFirst }) => {
      refused.add("usage");
      if (isFirst) reporter.report({ type: "event", event: usageRefused });
    },
  });
  const tunnels = new TunnelUrls();
  const prompts = new PromptQueue((outcome) => {
    log.info("Prompt ended", { verdict: outcome.verdict, droppedEvents: gateway.dropped });
    reporter.report({ type: "promptFinished", outcome });
  });
  const streams = new WorkspaceStreams({
    ...deps,
    sockets,
    bundle: () => known,
    publish: (event) => reporter.report({ type: "event", event }),
    stopPrompts: () => prompts.stop(),
    refused: (kind) => refused.add(kind),
  });
  const deletedPod = new DeletedPod({
    clock,
    hasUnsaved: () => prompts.isReady && known?.keepsWorkspace === true,
    end: () => stop.abort(),
  });
  if (deps.signal.aborted) deletedPod.begin();
  deps.signal.addEventListener("abort", () => deletedPod.begin(), { once: true });
  const keyAgents = new KeyAgents(deps.socketDirectory, () => refused.add("signature"));
  const pushWatch = new PushWatch(deps.socketDirectory);
  const bootDeps = {
    ...deps,
    startedMs,
    costs,
    secrets,
    keyAgents,
    pushWatch,
    tunnels,
    prompts,
    gateway: reporter,
    images: new ImageClient(requestDeps),
    media: new MediaClient(requestDeps),
    skills: new SkillClient(requestDeps),
    restore: (isRefused: boolean) =>
      streams.restore(() => gateway.send({ type: "restore", ...(isRefused && { refused: true }) })),
  };
  await pushWatch.open().catch((error: unknown) => {
    log.warn("Could not listen for what git pushes", { code: errorCode(error) });
  });
  void Promise.all([bundle.promise, sockets.agent]).then((found) => runBoot(bootDeps, ...found));

  await gateway.run(
    {
      hello: () => ({ needsBundle: known === undefined, isReady: prompts.isReady, openPrompts: prompts.open }),
      refused: () => refused.take(),
      onMessage: (message) => {
        if (message.type === "bundle") {
          if (!known) secrets.push(...secretsOf(message.bundle));
          known ??= message.bundle;
          bundle.resolve(known);
        } else if (message.type === "prompt")
          prompts.add(message.prompt, { text: message.text, images: message.images ?? [] });
        else if (message.type === "cancel") prompts.cancel(message.promptUid);
        else if (message.type === "tunnels") tunnels.set(message.urls);
        else if (message.type === "saving") deletedPod.saving(message.goesOn);
        else if (message.type === "openStream") streams.open(message);
        else stop.abort();
      },
    },
    stop.signal,
  );
  await leave(deps, sockets);
  keyAgents.close();
  pushWatch.close();
}

const noMedia = { status: 409, body: { error: "files are not taken here", code: "NotEnabled" } };

const usageRefused: SandboxEvent = {
  kind: "warning",
  scope: "output",
  message: `the agent reported a usage that is not counted: costs are numbers of US dollars from 0 to ${protocolLimits.costUsd}, tokens whole numbers from 0; have it report such numbers, not text`,
};

/** Ends the agent's container first, so that nothing in it outlives the attempt. */
async function leave({ clock, log }: RuntimeDeps, sockets: SocketServer): Promise<void> {
  sockets.close();
  const agent = await Promise.race([sockets.agent, Promise.resolve(undefined)]);
  if (agent && !agent.isClosed) {
    agent.shutDown();
    await Promise.race([agent.closed, sleep(clock, leaveMs)]);
  }
  log.info("Ended");
}
