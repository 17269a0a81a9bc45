import { Automation } from "../api/v1alpha1/index.ts";
import { parseNamespacedName, type NamespacedName } from "../lib/namespaced-name.ts";
import { CliError } from "./cli-error.ts";
import type { Cluster } from "./cluster.ts";
import type { Invocation } from "./command.ts";
import { misuse } from "./parse-command.ts";

type Named = Pick<Invocation, "namespace" | "cluster">;

/** The Automation that the first argument names. @throws CliError */
export function automationId(invocation: Named & Pick<Invocation, "args">): NamespacedName {
  return namedId("Automation", invocation);
}

/** The object of another kind that the first argument names. @throws CliError */
export function namedId(kind: string, invocation: Named & Pick<Invocation, "args">): NamespacedName {
  const [text = ""] = invocation.args;
  const id = parseName(text, kind, () => namespaceOf(invocation));
  const { namespace } = invocation;
  if (namespace === undefined || namespace === id.namespace) return id;
  throw misuse(`${kind} "${text}" is in namespace ${id.namespace}, but --namespace is ${namespace}`);
}

/** `NAMESPACE/NAME`, or `NAME` in the namespace that is worked in. @throws CliError */
export function parseName(text: string, kind: string, defaultNamespace: () => string): NamespacedName {
  const parts = text.split("/");
  const [first = "", second] = parts;
  const id = second === undefined ? `${defaultNamespace()}.${first}` : `${first}.${second}`;
  const parsed = parts.length > 2 ? undefined : parseNamespacedName(id);
  if (parsed) return parsed;
  throw misuse(`${kind} "${text}" is not NAMESPACE/NAME, two DNS labels of at most 63 characters each`);
}

/** The namespace that is worked in, as kubectl chooses it. */
export function namespaceOf({ namespace, cluster }: Named): string {
  return namespace ?? cluster().namespace;
}

/** The Automation as it is stored. @throws CliError when there is none */
export async function existingAutomation({ client }: Pick<Cluster, "client">, id: NamespacedName): Promise<Automation> {
  const found = await client.find<Automation>(Automation, id);
  if (found) return found;
  throw new CliError(
    `there is no Automation ${idText(id)}\nSee those that there are: kubectl runwright automations -n ${id.namespace}`,
  );
}

export function idText({ namespace, name }: NamespacedName): string {
  return `${namespace}/${name}`;
}
