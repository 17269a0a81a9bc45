import type { NamespacedName } from "../../lib/namespaced-name.ts";
import { parseName } from "../arguments/name-argument.ts";
import { misuse } from "../cli-error.ts";
import type { FlagValues } from "../arguments/flag.ts";
import type { gatewayFlags, releaseFlags } from "../arguments/common-flags.ts";

/** Which gateway to call, and as which ServiceAccount. */
export interface GatewayTarget {
  release: { name: string; namespace: string };
  server: string | undefined;
  certificateAuthority: string | undefined;
  serviceAccount: NamespacedName | undefined;
  /** Whether the gateway is shown the kubeconfig's own token. */
  usesKubeconfigToken: boolean;
}

/** The release that the flags name. */
export function releaseOf(flags: FlagValues<typeof releaseFlags>): GatewayTarget["release"] {
  return { name: flags.release, namespace: flags["release-namespace"] };
}

/** The gateway that the flags name; a ServiceAccount without a namespace is in the given one. @throws CliError */
export function gatewayTarget({ flags }: { flags: FlagValues<typeof gatewayFlags> }, namespace: string): GatewayTarget {
  const account = flags["service-account"];
  const usesKubeconfigToken = flags["kubeconfig-token"];
  if (account !== undefined && usesKubeconfigToken) {
    throw misuse(
      "--service-account and --kubeconfig-token exclude each other, as only one token is shown to the gateway",
    );
  }
  return {
    release: releaseOf(flags),
    server: flags.server,
    certificateAuthority: flags["certificate-authority"],
    serviceAccount: account === undefined ? undefined : parseName(account, "ServiceAccount", () => namespace),
    usesKubeconfigToken,
  };
}
