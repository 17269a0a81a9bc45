import { connectorLeaseName } from "../api/v1alpha1/names.ts";
import type { KubeClient } from "../kube/client.ts";
import type { Controller } from "../kube/controller.ts";
import { EventRecorder } from "../kube/event-recorder.ts";
import { lead } from "../kube/lead.ts";
import { LeaderElection } from "../kube/leader-election.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { KubeMetrics } from "../telemetry/kube-metrics.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { CallObserver } from "./call-observer.ts";
import { Connections } from "./connections.ts";
import { conversationController } from "./conversations/controller.ts";
import { FirstThoughts } from "./events/first-thoughts.ts";
import { sweepController } from "./events/sweep.ts";
import { forgetDeleted } from "./forget-deleted.ts";
import { connectorInformers } from "./informers.ts";
import type { Providers } from "./conversations/provider.ts";
import { GitHubApi } from "./github/github-api.ts";
import { automationEventController } from "./github/automations/controller.ts";
import { branchController } from "./github/pull-requests/branches.ts";
import { pullRequestController } from "./github/pull-requests/controller.ts";
import { pullRequestEventController } from "./github/pull-requests/events.ts";
import { redeliveryController } from "./github/redeliveries.ts";
import { Subscriptions } from "./github/subscriptions.ts";
import { githubProvider } from "./github/provider.ts";
import { LinearApi } from "./linear/linear-api.ts";
import { linearProvider } from "./linear/provider.ts";
import { LinearTokens } from "./linear/tokens.ts";
import type { GatewayAccess } from "./gateway/call-gateway.ts";
import { PromptMedia } from "./gateway/prompt-media.ts";
import { SessionImages } from "./gateway/session-images.ts";
import type { ConnectorMetrics } from "./metrics/connector-metrics.ts";
import { RequestImages } from "./slack/request-images.ts";
import { AppScopes } from "./slack/app-scopes.ts";
import { pullRequestButtonController } from "./slack/pull-requests/controller.ts";
import { homeController } from "./slack/home/controller.ts";
import { slackProvider } from "./slack/provider.ts";
import { channelController } from "./slack/channels/controller.ts";
import { UserGroups } from "./slack/user-groups.ts";
import { SlackApi } from "./slack/slack-api.ts";

export interface ConnectorDeps {
  client: KubeClient;
  /** On connections of its own. */
  electionClient: KubeClient;
  clock: Clock;
  random: Random;
  logger: Logger;
  metrics: KubeMetrics;
  connectorMetrics: ConnectorMetrics;
  release: { name: string; namespace: string; tokensNamespace: string };
  /** Namespaces whose Integrations it works for; none = all of the cluster. */
  watchNamespaces?: readonly string[] | undefined;
  podName: string;
  /** Of this process among the candidates for leadership; never used twice. */
  identity: string;
  /** Such as `https://api.github.com`. */
  githubUrl: string;
  /** Such as `https://api.linear.app`. */
  linearUrl: string;
  /** Such as `https://slack.com`. */
  slackUrl: string;
  /** Sends calls of Slack's Web API; left out, over the network. */
  slackFetch?: typeof fetch | undefined;
  /** Where people have the web page, such as `https://runwright.example.com`; undefined where there is none. */
  pageUrl?: string | undefined;
  /** Where images of requests are kept for sandboxes, and files that agents attach to answers. */
  gateway: GatewayAccess;
}

export interface RunningConnector {
  isLeading(): boolean;
  notReadyBecause(): string | undefined;
  /** Lets work under way end and gives the leadership away. */
  close(): Promise<void>;
  /** Resolves when this process led and may no longer be sure that it does: it must end. */
  ended: Promise<string>;
}

const flushMs = 2_000;

/** Starts one connector replica. Every replica acknowledges events; the leader alone writes. */
export function startConnector(deps: ConnectorDeps): RunningConnector {
  const { client, clock, random, logger: log, metrics, connectorMetrics, release, podName, identity } = deps;
  const election = new LeaderElection(
    { client: deps.electionClient, clock, random, log },
    { namespace: release.namespace, name: connectorLeaseName(release.name), identity },
  );
  const fenced = election.fence(client);
  const informers = connectorInformers({ client, clock, random, log, metrics }, deps.watchNamespaces);
  const caches = Object.values(informers);
  const events = new EventRecorder(
    { client: fenced, clock, random, log, metrics },
    { reportingController: "runwright.dev/connector", reportingInstance: podName },
  );
  const common = { client: fenced, clock, random, log, metrics, informers };
  const connections = new Connections(common);
  const appScopes = new AppScopes(common);
  const { githubUrl, linearUrl, slackUrl } = deps;
  const { tokensNamespace } = release;
  const observer: CallObserver = {
    called(integration, end) {
      const { operation, error } = end;
      connectorMetrics.called(operation, error?.failure ?? "ok");
      if (election.isLeading) {
        connections.called(integration, end);
        if (end.scopes) appScopes.seen(integration, end.scopes);
      }
      if (error)
        log.debug({ integration: integration.metadata.name, operation, err: error }, "Call of a provider failed");
    },
  };
  const tokens = new LinearTokens({ client, clock, tokensNamespace, linearUrl });
  const linear = new LinearApi({ clock, tokens, linearUrl, observer });
  const calling = { client, clock, tokensNamespace, observer, assertLeading: () => election.assertLeading() };
  const github = new GitHubApi({ ...calling, githubUrl });
  const slack = new SlackApi({ ...calling, slackUrl, fetch: deps.slackFetch });
  const images = new RequestImages({ slack, store: new SessionImages({ gateway: deps.gateway, clock }) });
  const media = new PromptMedia({ gateway: deps.gateway, clock });
  const groups = new UserGroups({ slack, clock });
  const isLeading = (): boolean => election.isLeading;
  const thoughts = new FirstThoughts({ informers, linear, client, clock, isLeading, metrics: connectorMetrics, log });
  const subscriptions = new Subscriptions({ ...common, github });
  const providers: Providers = {
    GitHub: githubProvider({ github, informers, subscriptions }),
    Linear: linearProvider({ linear, informers, client, thoughts }),
    Slack: slackProvider({
      slack,
      informers,
      client,
      images,
      groups,
      media,
      pageUrl: deps.pageUrl,
    }),
  };
  const controllers: Controller[] = [
    conversationController({ ...common, providers, events, connectorMetrics }),
    sweepController(common),
    redeliveryController({ ...common, github }),
    subscriptions.controller,
    branchController(common),
    pullRequestController({ ...common, github }),
    pullRequestEventController({ ...common, github, connectorMetrics }),
    automationEventController({ ...common, github, connectorMetrics }),
    channelController({ ...common, slack, groups, connectorMetrics }),
    pullRequestButtonController({ ...common, slack, groups, events, connectorMetrics }),
    homeController({ ...common, slack, groups, events, pageUrl: deps.pageUrl }),
    connections.controller,
    appScopes.controller,
  ];
  forgetDeleted(informers, [tokens, slack, connections, appScopes, subscriptions]);
  for (const cache of caches) cache.start();
  thoughts.start();
  const stop = new AbortController();
  const begin = (): Promise<unknown> => Promise.all(controllers.map((controller) => controller.start()));
  return {
    isLeading,
    ended: lead(election, { signal: stop.signal, begin, log }),
    notReadyBecause: () => (caches.every((cache) => cache.hasSynced) ? undefined : "caches are not filled yet"),
    async close() {
      stop.abort();
      thoughts.stop();
      await Promise.all(controllers.map((controller) => controller.stop()));
      await events.flush(flushMs);
      await election.release();
      await Promise.all(caches.map((cache) => cache.stop()));
    },
  };
}
