import { KubeConfig } from "@kubernetes/client-node";

import { systemClock } from "../../../src/lib/clock.ts";
import { accessFrom } from "../../../src/kube/access.ts";
import { KubeClient } from "../../../src/kube/client.ts";
import { HttpTransport } from "../../../src/kube/http-transport.ts";
import { clusterUp, ensureKubectl, isLocalCluster, type LocalCluster } from "../../../hack/cluster/cluster.ts";
import { isOnPath, run } from "../../../hack/lib/command.ts";
import type { Progress } from "../../../hack/lib/progress.ts";

/** A cluster that the demo or a journey test works on, with admin rights. */
export interface Workbench {
  /** Path of kubectl, and the arguments that point it at the cluster. */
  kubectl: { path: string; args: readonly string[] };
  /** The same for helm. */
  helmArgs: readonly string[];
  /** What programs that read a kubeconfig by themselves need in their environment. */
  environment: Record<string, string>;
  client: KubeClient;
  /** Set where this machine runs the cluster, so that images can be loaded. */
  local?: LocalCluster;
  close(): Promise<void>;
}

/** Opens the cluster that this machine runs. */
export function localWorkbench(cluster: LocalCluster): Workbench {
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  return {
    ...connect(config),
    kubectl: { path: cluster.kubectl, args: ["--kubeconfig", cluster.kubeconfig] },
    helmArgs: ["--kubeconfig", cluster.kubeconfig],
    environment: { KUBECONFIG: cluster.kubeconfig },
    local: cluster,
  };
}

/** Opens a context of the person's own kubeconfig; throws with the names there are when it is not one of them. */
export async function contextWorkbench(context: string, progress: Progress): Promise<Workbench> {
  const config = new KubeConfig();
  config.loadFromDefault();
  const known = config.getContexts().map(({ name }) => name);
  if (!known.includes(context)) {
    throw new Error(`--context is ${JSON.stringify(context)}, but the kubeconfig has ${known.join(", ") || "none"}`);
  }
  config.setCurrentContext(context);
  const path = (await isOnPath("kubectl")) ? "kubectl" : await ensureKubectl(progress);
  const server = config.getCurrentCluster()?.server;
  // Where this machine runs the cluster that the context leads to, images can be loaded.
  const isLocal = server !== undefined && (await isLocalCluster(server));
  return {
    ...connect(config),
    ...(isLocal ? { local: await clusterUp(progress) } : {}),
    kubectl: { path, args: ["--context", context] },
    helmArgs: ["--kube-context", context],
    environment: {},
  };
}

function connect(config: KubeConfig): Pick<Workbench, "client" | "close"> {
  const transport = new HttpTransport({ access: accessFrom(config), clock: systemClock, size: 4 });
  return { client: new KubeClient({ transport, clock: systemClock }), close: () => transport.close() };
}

/** Runs kubectl on the cluster and gives what it printed; throws with its message on any failure. */
export function kubectl(
  { kubectl: { path, args } }: Workbench,
  command: readonly string[],
  input?: string,
): Promise<string> {
  return run(path, [...args, ...command], input === undefined ? {} : { input });
}

/** Creates the objects or changes those that are there. */
export async function apply(bench: Workbench, objects: readonly object[]): Promise<void> {
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  await kubectl(bench, ["apply", "--server-side", "--force-conflicts", "--field-manager=demo", "-f", "-"], list);
}
