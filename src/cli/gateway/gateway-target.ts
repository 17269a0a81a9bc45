import type { NamespacedName } from "../../lib/namespaced-name.ts";
import { parseName } from "../arguments/name-argument.ts";
import type { FlagValues, Invocation } from "../command.ts";
import type { gatewayFlags, releaseFlags } from "../arguments/common-flags.ts";
import { misuse } from "../parse-command.ts";

/** Which gateway is talked to, and as whom. */
export interface GatewayTarget {
  release: { name: string; namespace: string };
  server: string | undefined;
  certificateAuthority: string | undefined;
  serviceAccount: NamespacedName | undefined;
}

/** The release that the flags name. */
export function releaseOf(flags: FlagValues<typeof releaseFlags>): GatewayTarget["release"] {
  return { name: flags.release ?? "runwright", namespace: flags["release-namespace"] ?? "runwright-system" };
}

/** What the flags say of the gateway; a ServiceAccount without a namespace is in the given one. @throws CliError */
export function gatewayTarget(
  { flags }: Pick<Invocation<typeof gatewayFlags>, "flags">,
  namespace: string,
): GatewayTarget {
  const account = flags["service-account"];
  return {
    release: releaseOf(flags),
    server: parseUrl("--server", flags.server, ["https:"]),
    certificateAuthority: flags["certificate-authority"],
    serviceAccount: account === undefined ? undefined : parseName(account, "ServiceAccount", () => namespace),
  };
}

/** A URL without slashes at its end. @throws CliError for another scheme */
export function parseUrl(flag: string, text: string | undefined, schemes: readonly string[]): string | undefined {
  if (text === undefined) return undefined;
  if (URL.canParse(text) && schemes.includes(new URL(text).protocol)) return text.replace(/\/+$/, "");
  throw misuse(`${flag} is "${text}", but it must be a URL that starts with ${schemes.join("// or ")}//`);
}
