import type { SkillSpec } from "../../../api/v1alpha1/skill.ts";
import { configMapsOf, configMapsProblem, type ConfigMapTexts } from "../../../domain/skills/judge-skill.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { configMaps } from "../../../kube/core-resources.ts";

/** Reads, live, the ConfigMaps that a Skill's files come from, each once; those that are missing are left out. */
export async function findConfigMaps(
  client: Pick<KubeClient, "find">,
  namespace: string,
  spec: Pick<SkillSpec, "files">,
  signal?: AbortSignal,
): Promise<Map<string, ConfigMapTexts>> {
  if (configMapsProblem(spec)) return new Map();
  const found = new Map<string, ConfigMapTexts>();
  for (const name of configMapsOf(spec)) {
    const configMap = await client.find(configMaps, { namespace, name }, { signal });
    if (configMap) found.set(name, configMap);
  }
  return found;
}
