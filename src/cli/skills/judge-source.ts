import { Buffer } from "node:buffer";
import {
  namePattern,
  reasonMeanings,
  reservedSkillNames,
  Skill,
  skillLimits,
  SkillSpec,
} from "../../api/v1alpha1/index.ts";
import { configMapsOf, judgeSkill } from "../../domain/skills/judge-skill.ts";
import type { Revision } from "../../domain/skills/revision.ts";
import { apiVersionOf } from "../../lib/resource.ts";
import { schemaFaults } from "./schema-faults.ts";
import type { SkillFault, SkillSource } from "./skill-source.ts";

export interface JudgedSource extends SkillSource {
  /** What agents would see; undefined where there are faults, or texts of ConfigMaps are not known. */
  revision: Revision | undefined;
  /** ConfigMaps that were not found beside the Skill. */
  unread: readonly string[];
}

/** What etcd takes, 1.5 MiB, less what the API server adds to an object. */
const mostManifestBytes = 1_500_000;

/** Judges a Skill by everything that the API server and the controller check, without either. */
export function judgeSource(source: SkillSource): JudgedSource {
  const faults = [...source.faults, ...nameFaults(source.name), ...schemaFaults(source.spec), ...sizeFaults(source)];
  const judged: JudgedSource = { ...source, faults, revision: undefined, unread: [] };
  const spec = SkillSpec.safeParse(source.spec).data;
  if (!spec) return judged;
  const unread = configMapsOf(spec).filter((name) => !source.configMaps.has(name));
  const known = {
    ...spec,
    files: spec.files?.map((file) =>
      unread.includes(file.configMapKeyRef?.name ?? "") ? { path: file.path, content: "" } : file,
    ),
  };
  const result = judgeSkill(source.name ?? "", known, source.configMaps);
  if (!result.ok) {
    const { reason, message } = result.problem;
    const fix = reasonMeanings[reason].remedy.replace(/\.$/, "");
    return { ...judged, unread, faults: [...faults, { problem: message, fix }] };
  }
  const isKnown = unread.length === 0 && faults.length === 0;
  return { ...judged, unread, revision: isKnown ? result.revision : undefined };
}

function nameFaults(name: string | undefined): SkillFault[] {
  if (name === undefined) return [{ problem: "name is missing", fix: "Give the skill one, such as release-notes" }];
  if (reservedSkillNames.includes(name)) {
    return [{ problem: `name ${name} is reserved`, fix: `Take another than ${reservedSkillNames.join(", ")}` }];
  }
  if (name.length > skillLimits.name) {
    return [{ problem: `name has ${name.length} characters; at most ${skillLimits.name}`, fix: "Shorten it" }];
  }
  if (namePattern.test(name)) return [];
  return [
    {
      problem: `name "${name}" must be lower-case letters and digits, in words separated by single hyphens`,
      fix: "Rename the skill, such as release-notes",
    },
  ];
}

/** Escapes make text longer in JSON, which is how the API server stores it. */
function sizeFaults(source: SkillSource): SkillFault[] {
  const bytes = Buffer.byteLength(JSON.stringify(manifestOf(source)));
  if (bytes <= mostManifestBytes) return [];
  return [
    {
      problem: `the manifest is ${bytes} bytes as JSON; the API server stores about ${mostManifestBytes}`,
      fix: "Put files into ConfigMaps and name them with configMapKeyRef",
    },
  ];
}

/** The Skill as an object, whose spec may be anything. */
export function manifestOf({ name, spec }: SkillSource, namespace?: string): object {
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return { apiVersion: apiVersionOf(Skill), kind: Skill.kind, metadata, spec };
}
