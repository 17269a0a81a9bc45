import type { Flags } from "./flag.ts";
import { duration, url, wholeNumber } from "./value-types.ts";

/** Flag of commands that can print JSON, YAML or names. */
export const outputFlag = {
  output: { short: "o", value: "FORMAT", about: "print in this format instead of text" },
} as const satisfies Flags;

/** Flags that name the installation of Runwright. */
export const releaseFlags = {
  "release-namespace": { value: "NAME", default: "runwright-system", about: "namespace of the Runwright installation" },
  release: { value: "NAME", default: "runwright", about: "name of its Helm release" },
} as const satisfies Flags;

/** Flags that say how to reach the gateway, and with which token. */
export const gatewayFlags = {
  ...releaseFlags,
  "service-account": {
    value: "[NAMESPACE/]NAME",
    about: "ServiceAccount to call the gateway as (default: the kubeconfig's user, if it is one)",
  },
  "kubeconfig-token": {
    about:
      "show the gateway the kubeconfig's own token, which can do all that you can, instead of one for the gateway alone",
  },
  server: {
    value: "URL",
    type: url("https:"),
    about: "address of the gateway (default: a port-forward to one of its pods)",
  },
  "certificate-authority": { value: "FILE", about: "PEM certificates to check the gateway's certificate with" },
} as const satisfies Flags;

/** Flags of every command, so that one set of them fits all; what a command does not need has no effect. */
export const commonFlags = {
  namespace: { short: "n", value: "NAME", about: "namespace (default: the kubeconfig context's)" },
  context: { value: "NAME", about: "context of the kubeconfig (default: the current one)" },
  kubeconfig: { value: "FILE", about: "kubeconfig (default: $KUBECONFIG, then ~/.kube/config)" },
  ...gatewayFlags,
} as const satisfies Flags;

export const allNamespacesFlag = {
  "all-namespaces": { short: "A", about: "all namespaces instead of one" },
} as const satisfies Flags;

/** Flag that limits the entries of a list. */
export function limitFlag(otherwise: number) {
  return { limit: { value: "N", type: wholeNumber, default: otherwise, about: "show at most N" } } as const;
}

/** Flag that limits how long another flag, such as `--wait`, waits. */
export function timeoutFlag(waiting: string) {
  const about = `how long ${waiting} waits, such as 30m (default: no limit)`;
  return { timeout: { value: "DURATION", type: duration, about } } as const;
}
