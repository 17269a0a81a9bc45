import { join } from "node:path";

import { cacheDirectory } from "../../lib/cache.ts";
import type { KubernetesPrograms } from "../kubernetes/kubernetes.ts";

/** Addresses inside the native cluster. The bridge carries the gateway's address, which is also the node's. */
export const network = {
  bridge: "runwright0",
  podCidr: "10.244.0.0/24",
  nodeAddress: "10.244.0.1",
  serviceCidr: "10.96.0.0/16",
  apiserverService: "10.96.0.1",
  dnsService: "10.96.0.10",
  natTable: "runwright",
} as const;

/** Name of the one node, and of the contexts in kubeconfig files. */
export const nodeName = "runwright";

/** Where everything of the local cluster lies; removed as a whole by `down`. */
export interface Layout {
  state: string;
  pki: string;
  logs: string;
  images: string;
  kubeconfig: string;
  containerdSocket: string;
  /** Processes that were started and have to be ended. */
  processes: string;
}

/** The layout below a state folder, by default the one in the cache. */
export function layoutIn(state = join(cacheDirectory(), "cluster")): Layout {
  return {
    state,
    pki: join(state, "pki"),
    logs: join(state, "log"),
    images: join(state, "images"),
    kubeconfig: join(state, "kubeconfig"),
    containerdSocket: join(state, "containerd.sock"),
    processes: join(state, "processes"),
  };
}

/** What the steps of `up` share: where things lie and what is run. */
export interface Native {
  layout: Layout;
  kubernetes: KubernetesPrograms;
}
