import type { ObjectMeta } from "../../../lib/resource.ts";
import type { ScopeSource } from "../secrets/scope.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { secrets } from "../../../kube/core-resources.ts";
import type { KubeLog } from "../../../kube/ports.ts";
import { type Checked, checked } from "../refusal.ts";
import { readScope, type SecretValue } from "../secrets/scope-secret.ts";
import { sessionSecrets } from "../secrets/session-secrets.ts";

export interface EnvironmentDeps {
  client: Pick<KubeClient, "find">;
  log: KubeLog;
}

/** Reads, live, what hooks and agent get as environment variables, or says why nothing may start with it. */
export async function readEnvironment(
  { client, log }: EnvironmentDeps,
  metadata: ObjectMeta,
  sources: readonly ScopeSource[],
): Promise<Checked<Record<string, string>>> {
  const { namespace = "", name = "" } = metadata;
  const scopes = [];
  for (const source of sources) {
    const scope = readScope(source, await client.find(secrets, { namespace, name: source.secretName }), namespace);
    if (!scope.ok) return scope;
    scopes.push(scope.value);
  }
  const merged = sessionSecrets<SecretValue>(scopes);
  if (!merged.ok) return merged;
  for (const override of merged.value.overrides) log.debug({ namespace, name, ...override }, "Overrode a secret");
  // Also names that every object has by itself end up as members of their own.
  return checked(Object.fromEntries(merged.value.entries.map(({ key, value }) => [key, value])));
}
