import { Automation, Prompt, Repository, Session } from "../../api/v1alpha1/index.ts";
import type { KubeObject, Resource } from "../../lib/resource.ts";
import type { Cluster } from "../cluster/cluster.ts";

/** Milliseconds that a person at the Tab key waits for a list. */
const timeoutMs = 3_000;

const resources: Readonly<Record<string, Resource<KubeObject>>> = {
  AUTOMATION: Automation,
  PROMPT: Prompt,
  REPOSITORY: Repository,
  SESSION: Session,
};

/** The names of objects of these kinds, such as `AUTOMATION`, in a namespace; rejects when the cluster does not tell them. */
export async function objectNames(
  { client }: Pick<Cluster, "client">,
  kinds: readonly string[],
  namespace: string,
): Promise<string[]> {
  const wanted = kinds.flatMap((kind) => resources[kind] ?? []);
  const lists = await Promise.all(wanted.map((resource) => client.list(resource, { namespace, timeoutMs })));
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name ?? ""));
}
