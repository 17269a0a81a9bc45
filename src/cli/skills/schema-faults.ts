import type { z } from "zod";
import { Skill } from "../../api/v1alpha1/index.ts";
import { countCharacters } from "../../lib/characters.ts";
import { isPlainObject } from "../../lib/json-equal.ts";
import type { SkillFault } from "./skill-source.ts";

type Spec = Readonly<Record<string, unknown>>;

/** What to do about a field of the spec, or of one of its files. */
const fixes: Readonly<Record<string, string>> = {
  description: "Say in one or two sentences what the skill does and when to use it; the rest belongs into the body",
  license: "Name the license; its text can be a file",
  compatibility: "Say in a few words what the skill needs",
  metadata: "Use short texts; quote numbers, and put the rest into the body",
  body: "Move parts of it into files, which agents read when they need them",
  files: "Join some of them, or make two skills of it",
  path: "Rename or move the file",
  executable: "Move the file below scripts/, or take its executable bit away (chmod a-x)",
  content: "Shorten it, or split it into several files",
  configMapKeyRef: "Name a ConfigMap and one of its keys",
};
const otherwise = "See kubectl explain skill.spec";

/** What the schema says of a spec: its limits, and fields that it does not have. */
export function schemaFaults(spec: Spec): SkillFault[] {
  const { data, error } = Skill.schema.safeParse({ spec }, { reportInput: true });
  if (error) return error.issues.map((issue) => faultOf(issue, spec));
  return unknownFields(spec, data.spec).map((field) => ({
    problem: `${field} is no field of a Skill`,
    fix: "Remove it, or fix its name",
  }));
}

function faultOf(issue: z.core.$ZodIssue, spec: Spec): SkillFault {
  const [, ...path] = issue.path.map(String);
  const isAboutScripts = issue.message.startsWith("must be below scripts/");
  const inFile = path[0] === "files" ? path[2] : path[0];
  const fix = fixes[isAboutScripts ? "executable" : (inFile ?? path[0] ?? "")];
  return { problem: `${placeOf(path, spec)} ${whatOf(issue)}`, fix: fix ?? otherwise };
}

/** A file is named by its path, where it has one. */
function placeOf(path: readonly string[], spec: Spec): string {
  const [field = "the spec", index, ...rest] = path;
  if (field !== "files" || index === undefined) return path.join(".") || field;
  const files: unknown[] = Array.isArray(spec.files) ? spec.files : [];
  const file = files[Number(index)];
  const name = isPlainObject(file) && typeof file.path === "string" && file.path !== "" ? file.path : `files[${index}]`;
  const below = rest.filter((step) => step !== "path").join(".");
  return below === "" ? name : `${name}: ${below}`;
}

function whatOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "too_big") return `has ${sizeOf(issue.input)}; at most ${issue.maximum}`;
  if (issue.code === "too_small") return "is empty";
  if (issue.code !== "invalid_type") return issue.message;
  return issue.input === undefined ? "is missing" : `must be ${inWords(issue.expected)}`;
}

function sizeOf(input: unknown): string {
  if (typeof input === "string") return `${countCharacters(input)} characters`;
  return `${Array.isArray(input) ? input.length : "too many"} entries`;
}

function inWords(expected: string): string {
  const words: Record<string, string> = {
    string: "a text",
    array: "a list",
    record: "fields and texts",
    object: "fields",
  };
  return words[expected] ?? expected;
}

/** Places of what the schema has left out. */
function unknownFields(given: unknown, kept: unknown, place = ""): string[] {
  if (Array.isArray(given)) {
    return given.flatMap((item, index) =>
      unknownFields(item, (kept as unknown[])[index], `${place}[${String(index)}]`),
    );
  }
  if (!isPlainObject(given) || !isPlainObject(kept)) return [];
  return Object.keys(given).flatMap((name) => {
    const below = place === "" ? name : `${place}.${name}`;
    return Object.hasOwn(kept, name) ? unknownFields(given[name], kept[name], below) : [below];
  });
}
