import { isMap, parseDocument, visit } from "yaml";
import type { SkillFault } from "./skill-source.ts";

/** A SKILL.md in its parts. */
export interface SkillHead {
  /** What is between the lines `---`: fields of the spec, and `name`. */
  fields: Readonly<Record<string, unknown>>;
  /** What is below it, byte for byte. */
  body: string;
  faults: readonly SkillFault[];
}

const mark = "---";
const known = ["name", "description", "license", "compatibility", "metadata"];

/** Takes a SKILL.md apart. All values are texts as they are written: `1.0` stays `1.0`, and `true` is a word. */
export function readSkillHead(text: string): SkillHead {
  const parts = splitSkillFile(text);
  if (!parts) {
    const what = "does not begin with a head between two lines ---";
    return {
      fields: {},
      body: text,
      faults: [fault(what, "Begin it with ---, name: and description:, and another ---")],
    };
  }
  const { head, body } = parts;
  const document = parseDocument(`\n${head}`, { schema: "failsafe", logLevel: "silent" });
  const faults = [...document.errors, ...document.warnings].map(({ message }) => {
    const [what = ""] = message.split("\n");
    return fault(
      `has a head that is no YAML: ${what.replace(/:$/, "")}`,
      "Quote values that hold a colon or begin with a sign",
    );
  });
  visit(document, {
    Alias: (_, { source }) => {
      faults.push(fault(`has the alias *${source} in its head, and aliases are not read`, "Write the value out"));
    },
  });
  if (faults.length > 0) return { fields: {}, body, faults };
  if (!isMap(document.contents)) {
    return { fields: {}, body, faults: [fault("has a head without fields", "Write name: and description: into it")] };
  }
  const fields = document.toJS({ maxAliasCount: 0 }) as Record<string, unknown>;
  const unknown = Object.keys(fields).filter((field) => !known.includes(field));
  return {
    fields: Object.fromEntries(Object.entries(fields).filter(([field]) => known.includes(field))),
    body,
    faults: unknown.map((field) =>
      fault(
        `has the field ${field} in its head, which a Skill has not`,
        "Remove it, or put it below metadata as a text",
      ),
    ),
  };
}

/** Undefined: there is no head. A byte order mark may stand before it, and lines may end with CR LF. */
function splitSkillFile(text: string): { head: string; body: string } | undefined {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  const isMark = (line: string): boolean => line.replace(/[ \t]*\r?$/, "") === mark;
  if (!isMark(lines[0] ?? "")) return undefined;
  const end = lines.findIndex((line, index) => index > 0 && isMark(line));
  if (end < 0) return undefined;
  const head = lines.slice(1, end).map((line) => line.replace(/\r$/, ""));
  return { head: head.join("\n"), body: lines.slice(end + 1).join("\n") };
}

function fault(what: string, fix: string): SkillFault {
  return { problem: `SKILL.md ${what}`, fix };
}
