import { gatewayAuthoritiesDataKey, gatewayAuthoritiesName } from "../../api/v1alpha1/names.ts";
import { configMaps } from "../../kube/core-resources.ts";
import { keyText } from "../../lib/resource.ts";
import { CliError } from "../cli-error.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { GatewayTarget } from "./gateway-target.ts";

/** The authorities that the controller has published for the gateway's certificate, PEM. @throws CliError without them */
export async function publishedAuthorities(
  { client }: Pick<Cluster, "client">,
  { name, namespace }: GatewayTarget["release"],
): Promise<string> {
  const key = { namespace, name: gatewayAuthoritiesName(name) };
  const authorities = (await client.find(configMaps, key))?.data?.[gatewayAuthoritiesDataKey] ?? "";
  if (authorities !== "") return authorities;
  throw new CliError(
    `ConfigMap ${keyText(key)} has no ${gatewayAuthoritiesDataKey}, so the gateway's certificate cannot be checked\n` +
      "Its chart makes the ConfigMap and its controller fills it in: upgrade the release and see that a controller runs, or name the certificates with --certificate-authority FILE",
  );
}
