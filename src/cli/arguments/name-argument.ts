import { parseNamespacedName, type NamespacedName } from "../../lib/namespaced-name.ts";
import type { Invocation } from "../command.ts";
import { misuse } from "../cli-error.ts";

type Context = Pick<Invocation, "namespace" | "cluster">;

/** The object that the first argument names. @throws CliError for no name, or one that contradicts `--namespace` */
export function nameArgument(kind: string, invocation: Context & Pick<Invocation, "args">): NamespacedName {
  const [text = ""] = invocation.args;
  const name = parseName(text, kind, () => namespaceOf(invocation));
  const { namespace } = invocation;
  if (namespace === undefined || namespace === name.namespace) return name;
  throw misuse(`${kind} "${text}" is in namespace ${name.namespace}, but --namespace is ${namespace}`);
}

/** `NAMESPACE/NAME`, or `NAME` in the default namespace. @throws CliError */
export function parseName(text: string, kind: string, defaultNamespace: () => string): NamespacedName {
  const parts = text.split("/");
  const [first = "", second] = parts;
  const id = second === undefined ? `${defaultNamespace()}.${first}` : `${first}.${second}`;
  const parsed = parts.length > 2 ? undefined : parseNamespacedName(id);
  if (parsed) return parsed;
  throw misuse(`${kind} "${text}" is not NAMESPACE/NAME or NAME\nEach may have at most 63 characters: a-z, 0-9 and -`);
}

/** `--namespace`, else the namespace of the kubeconfig's context, as in kubectl. */
export function namespaceOf({ namespace, cluster }: Context): string {
  return namespace ?? cluster().namespace;
}
