import { Skill } from "../../api/v1alpha1/index.ts";
import type { ConfigMapTexts } from "../../domain/skills/judge-skill.ts";
import { isPlainObject } from "../../lib/json-equal.ts";
import { kubectlDocuments } from "../arguments/kubectl-yaml.ts";
import { apiVersionOf } from "../../lib/resource.ts";
import { CliError } from "../cli-error.ts";
import type { SkillSource } from "./skill-source.ts";

type Manifest = Record<string, unknown>;

/**
 * The Skills of a file in YAML or JSON, with the ConfigMaps of the same file; other objects are passed over.
 * @throws CliError where the file cannot be read so or has no Skill
 */
export function readSkillManifests(from: string, text: string): SkillSource[] {
  const objects = parsedObjects(from, text);
  const configMaps = objects.filter((object) => object.apiVersion === "v1" && object.kind === "ConfigMap");
  const skills = objects.filter((object) => object.kind === Skill.kind && object.apiVersion === apiVersionOf(Skill));
  if (skills.length === 0) {
    throw new CliError(
      `${from} has no Skill of ${apiVersionOf(Skill)}\nName a file with manifests of Skills, or the folder of a skill`,
    );
  }
  return skills.map((skill) => {
    const { name, namespace } = metadataOf(skill);
    const beside = configMaps.filter((one) => metadataOf(one).namespace === namespace);
    return {
      from,
      name: typeof name === "string" ? name : undefined,
      spec: isPlainObject(skill.spec) ? skill.spec : {},
      // A ConfigMap of a stranger may be anything, too: only texts count.
      configMaps: new Map(beside.map((one) => [String(metadataOf(one).name), textsOf(one)])),
      faults: [],
    };
  });
}

function parsedObjects(from: string, text: string): Manifest[] {
  return kubectlDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new CliError(`${from} is neither YAML nor JSON: ${error.message.split("\n")[0] ?? ""}`);
    const value: unknown = document.toJS();
    const all = isPlainObject(value) && Array.isArray(value.items) ? (value.items as unknown[]) : [value];
    return all.filter(isPlainObject);
  });
}

function metadataOf({ metadata }: Manifest): Manifest {
  return isPlainObject(metadata) ? metadata : {};
}

function textsOf({ data, binaryData }: Manifest): ConfigMapTexts {
  return { data: onlyTexts(data), binaryData: onlyTexts(binaryData) };
}

function onlyTexts(value: unknown): Record<string, string> {
  if (!isPlainObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
