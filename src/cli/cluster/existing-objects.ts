import { Automation, PrebuiltImage, Prompt, Session } from "../../api/v1alpha1/index.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import { keyText } from "../../lib/resource.ts";
import { CliError } from "../cli-error.ts";
import type { Cluster } from "./cluster.ts";

/** The Automation as it is stored. @throws CliError when there is none */
export async function existingAutomation(
  { client }: Pick<Cluster, "client">,
  name: NamespacedName,
): Promise<Automation> {
  const found = await client.find<Automation>(Automation, name);
  return found ?? missing("Automation", name, "kubectl runwright automations");
}

/** The Prompt as it is stored. @throws CliError when there is none */
export async function existingPrompt({ client }: Pick<Cluster, "client">, name: NamespacedName): Promise<Prompt> {
  const found = await client.find<Prompt>(Prompt, name);
  return found ?? missing("Prompt", name, "kubectl get prompts");
}

/** The Session as it is stored. @throws CliError when there is none */
export async function existingSession({ client }: Pick<Cluster, "client">, name: NamespacedName): Promise<Session> {
  const found = await client.find<Session>(Session, name);
  return found ?? missing("Session", name, "kubectl get sessions");
}

/** The PrebuiltImage as it is stored. @throws CliError when there is none */
export async function existingImage({ client }: Pick<Cluster, "client">, name: NamespacedName): Promise<PrebuiltImage> {
  const found = await client.find<PrebuiltImage>(PrebuiltImage, name);
  return found ?? missing("PrebuiltImage", name, "kubectl get prebuiltimages");
}

function missing(kind: string, name: NamespacedName, list: string): never {
  throw new CliError(`there is no ${kind} ${keyText(name)}\nTo list them: ${list} -n ${name.namespace}`);
}
