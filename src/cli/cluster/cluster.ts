import { KubeConfig } from "@kubernetes/client-node";

import { accessFrom, type ApiAccess } from "../../kube/access.ts";
import { KubeClient } from "../../kube/client.ts";
import { HttpTransport } from "../../kube/http-transport.ts";
import type { Clock } from "../../lib/clock.ts";
import { readFailure } from "../arguments/unreadable.ts";
import { CliError } from "../cli-error.ts";

/** The cluster of the user's kubeconfig. */
export interface Cluster {
  config: KubeConfig;
  client: KubeClient;
  /** The context's namespace. */
  namespace: string;
  /** The bearer token that the kubeconfig authenticates with; undefined for client certificates. */
  bearerToken(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Names a context; undefined: that of the user's environment. */
export interface ContextName {
  kubeconfig: string | undefined;
  context: string | undefined;
}

/** Opens a context; requests time out by `clock`. @throws CliError without such a context */
export function openCluster(clock: Clock, { kubeconfig, context }: ContextName): Cluster {
  const config = loadConfig(kubeconfig);
  if (context !== undefined) {
    if (!config.getContextObject(context))
      throw new CliError(`the kubeconfig has no context "${context}"\nTo list them: kubectl config get-contexts`);
    config.setCurrentContext(context);
  }
  const access = accessOf(config);
  const transport = new HttpTransport({ access, clock, size: 2 });
  return {
    config,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? "default",
    client: new KubeClient({ transport, clock, fieldManager: "kubectl-runwright" }),
    async bearerToken() {
      const { headers } = await access.credentials();
      const authorization = Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization")?.[1];
      return /^Bearer +(.+)$/i.exec(authorization ?? "")?.[1];
    },
    close: () => transport.close(),
  };
}

function accessOf(config: KubeConfig): ApiAccess {
  const context = config.getCurrentContext();
  if (!context) {
    throw new CliError(
      "the kubeconfig has no current context\nChoose one with --context NAME, or with kubectl config use-context NAME",
    );
  }
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new CliError(`the kubeconfig has no cluster for its context "${context}"`);
  if (cluster.server.startsWith("http:") && !cluster.skipTLSVerify) {
    throw new CliError(
      `context "${context}" has the server ${cluster.server}, to which no credentials are sent, as it is not https\n` +
        "Choose another one with --context NAME or --kubeconfig FILE",
    );
  }
  return accessFrom(config);
}

/** client-node's name for the context that it makes up without a kubeconfig. */
const inventedContext = "loaded-context";

function loadConfig(file: string | undefined): KubeConfig {
  const config = new KubeConfig();
  try {
    if (file === undefined) config.loadFromDefault();
    else config.loadFromFile(file);
  } catch (error) {
    const { reason } = readFailure(error);
    const path = error instanceof Error && "path" in error ? ` (${String(error.path)})` : "";
    const shown = file ?? `in $KUBECONFIG or ~/.kube/config${path}`;
    throw new CliError(
      `the kubeconfig ${shown} cannot be read: ${reason}\nSet $KUBECONFIG, or name another one with --kubeconfig FILE`,
    );
  }
  if (config.getCurrentContext() !== inventedContext) return config;
  throw new CliError(
    "there is no kubeconfig: $KUBECONFIG is not set, and ~/.kube/config does not exist\nSet $KUBECONFIG, or name one with --kubeconfig FILE",
  );
}
