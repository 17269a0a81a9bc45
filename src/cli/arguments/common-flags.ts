import type { Flags } from "../command.ts";

/** Flags of every command. */
export const commonFlags = {
  namespace: { short: "n", value: "NAME", about: "namespace; default: the kubeconfig context's" },
  context: { value: "NAME", about: "context of the kubeconfig" },
  kubeconfig: { value: "FILE", about: "kubeconfig; default $KUBECONFIG, then ~/.kube/config" },
  help: { short: "h", about: "what the command does, its flags and examples" },
} as const satisfies Flags;

/** Where Runwright is installed. */
export const releaseFlags = {
  "release-namespace": { value: "NAME", about: "where Runwright is installed; default runwright-system" },
  release: { value: "NAME", about: "name of the Helm release; default runwright" },
} as const satisfies Flags;

/** How the gateway's API is reached, and as whom. */
export const gatewayFlags = {
  ...releaseFlags,
  "service-account": {
    value: "[NAMESPACE/]NAME",
    about: "act as this ServiceAccount, for kubeconfigs without a bearer token",
  },
  server: { value: "URL", about: "address of the gateway's API instead of a port-forward to one of its pods" },
  "certificate-authority": { value: "FILE", about: "PEM certificates that --server's certificate is checked with" },
} as const satisfies Flags;

export const allNamespacesFlag = {
  "all-namespaces": { short: "A", about: "in all namespaces" },
} as const satisfies Flags;

/** How many entries of a list are shown. */
export function limitFlag(otherwise: number) {
  return { limit: { value: "N", about: `at most so many; default ${otherwise}` } } as const;
}
