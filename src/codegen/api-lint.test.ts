import { describe, expect, it } from "vitest";
import { kinds } from "../api/v1alpha1/index.ts";
import { lintFields, lintStatus } from "./api-lint.ts";
import { structuralSchema, type StructuralSchema } from "./structural-schema.ts";

describe.each(kinds)("$kind", (kind) => {
  it("follows the API conventions", () => {
    const status = kind.status && structuralSchema(kind.status, "status");
    expect([
      ...lintFields("spec", structuralSchema(kind.spec, "spec")),
      ...(status ? [...lintFields("status", status), ...lintStatus(status)] : []),
    ]).toEqual([]);
  });

  it("has columns that end with its age, and wide ones that end with a message", () => {
    const usual = kind.columns.filter(({ priority = 0 }) => priority === 0);
    expect(usual.at(-1)?.name).toBe("Age");
    expect(kind.columns.at(-1)?.name).toBe("Message");
  });

  it("has short names", () => {
    expect(kind.shortNames).not.toEqual([]);
    expect(kind.shortNames.every((name) => name.startsWith("rw"))).toBe(true);
  });
});

it("has short names and plurals that no two kinds share", () => {
  const names = kinds.flatMap(({ plural, shortNames }) => [plural, ...shortNames]);
  expect(new Set(names).size).toBe(names.length);
});

const good: StructuralSchema = { type: "string", maxLength: 1, description: "field is one thing." };
const list: StructuralSchema = {
  type: "array",
  maxItems: 1,
  description: "field is many things.",
  "x-kubernetes-list-type": "atomic",
};

it.each<[string, StructuralSchema, string[]]>([
  ["a good text", good, []],
  [
    "another's description",
    { ...good, description: "thing is one thing." },
    ["must have a description that begins with field"],
  ],
  [
    "its own name",
    { ...good, description: "field is the field." },
    ["must have a description that says something that its name does not"],
  ],
  ["a broken sentence", { ...good, description: "field is one thing" }, ["must have a description of whole sentences"]],
  ["an endless text", { type: "string", description: "field is one thing." }, ["must have a maxLength"]],
  ["a choice", { type: "string", enum: ["a"], description: "field is one thing." }, []],
  [
    "a truth value to kubectl",
    { type: "string", enum: ["Other", "On"], description: "field is one thing." },
    ["must not have the value On, which is no"],
  ],
  ["a good list", { ...list, items: good }, []],
  ["an endless list", { ...list, maxItems: undefined as never, items: good }, ["must have maxItems"]],
  ["a list of endless texts", { ...list, items: { type: "string" } }, ["[] must have a maxLength"]],
  ["a fraction", { type: "number", description: "field is one thing." }, ["must not be a floating-point number"]],
  ["a flag", { type: "boolean", description: "field is one thing." }, ["must not be a boolean but an enum"]],
  ["a secret default", { ...good, default: "a" }, ["must say what it defaults to"]],
  ["a said default", { ...good, default: "a", description: "field is one. Defaults to a." }, []],
  ["an atomic list that defaults to none", { ...list, default: [], items: good }, []],
  [
    "a set that defaults to none",
    { ...list, "x-kubernetes-list-type": "set", default: [], items: good },
    ["must be atomic or have no default"],
  ],
  [
    "a default below a list",
    {
      ...list,
      items: { type: "object", properties: { field: { ...good, default: "a", description: "thing. Defaults to a." } } },
    },
    ["[].field must have a description that begins with field", "[].field must have no default"],
  ],
  [
    "a required default",
    {
      type: "object",
      description: "field is one thing.",
      required: ["field"],
      properties: { field: { ...good, default: "", description: "field is one. Defaults to nothing." } },
    },
    ["must not require what has a default: field"],
  ],
])("judges %s", (_, schema, wanted) => {
  const problems = lintFields("spec", { type: "object", properties: { field: schema } });
  expect(problems.map((problem) => problem.slice(0, 60))).toEqual(
    wanted
      .map((problem) => `spec.field${problem.startsWith("[") ? "" : " "}${problem}`.slice(0, 60))
      .map((problem) => expect.stringContaining(problem.slice(0, 40)) as unknown),
  );
});

it.each(["timeout", "idleTimeout", "ttl", "phase"])("refuses the name %s", (name) => {
  const field = { ...good, description: `${name} is one.` };
  expect(lintFields("spec", { type: "object", properties: { [name]: field } })).toHaveLength(1);
});

it("wants a status that begins with conditions and requires nothing", () => {
  const properties = { observedGeneration: good, conditions: good };
  expect(lintStatus({ type: "object", properties, required: ["conditions"] })).toEqual([
    "status must begin with conditions",
    "status.conditions must be optional",
  ]);
});
