import { describe, expect, it } from "vitest";
import { z } from "zod";
import { matching, withRule, withTransitionRule } from "../api/v1alpha1/index.ts";
import { structuralSchema } from "./structural-schema.ts";

describe("what a structural schema cannot hold", () => {
  it.each<[string, z.ZodType]>([
    ["a union", z.union([z.string(), z.number()])],
    ["anything", z.unknown()],
    ["a tuple", z.tuple([z.string()])],
    ["an object that takes nothing else", z.strictObject({ a: z.string() })],
    ["an object that takes everything else", z.looseObject({ a: z.string() })],
    ["a transformed text", z.string().transform(Number)],
    ["a map with a pattern of keys", z.record(z.string().regex(/a/), z.string())],
    ["an integer without bounds", z.int()],
    ["an integer without a lower bound", z.int().max(3)],
  ])("is refused with its path: %s", (_, schema) => {
    expect(() => structuralSchema(z.object({ field: schema }), "spec")).toThrow(/spec\.field|Transforms/);
  });

  it("is named through lists and maps", () => {
    const schema = z.object({ list: z.array(z.record(z.string(), z.object({ field: z.unknown() }))) });
    expect(() => structuralSchema(schema, "spec")).toThrow(/^spec\.list\[\]\.\*\.field has no type/);
  });
});

it("leaves a field of any scalar type without one", () => {
  const scalar = z.union([z.string(), z.number()]).meta({ "x-kubernetes-preserve-unknown-fields": true });
  expect(structuralSchema(z.object({ value: scalar.describe("value.") }), "spec").properties).toEqual({
    value: { description: "value.", "x-kubernetes-preserve-unknown-fields": true },
  });
});

it("fills the defaults of an object's members into its own, because rules judge it as it is written", () => {
  const limit = z.object({ a: z.int32().default(1), b: z.object({ c: z.boolean().default(true) }).prefault({}) });
  const { properties } = structuralSchema(z.object({ limit: limit.prefault({ a: 2 }) }), "spec");
  expect(properties?.limit?.default).toEqual({ a: 2, b: { c: true } });
});

it("requires what has no default and is not optional", () => {
  const schema = z.object({ a: z.string(), b: z.string().optional(), c: z.string().default("") });
  expect(structuralSchema(schema, "spec").required).toEqual(["a"]);
});

it.each([
  [z.int32(), "int32"],
  [z.int().min(0).max(2_147_483_647), "int32"],
  [z.int().min(0).max(2_147_483_648), "int64"],
])("gives integers the format of their size", (schema, format) => {
  expect(structuralSchema(schema, "spec").format).toBe(format);
});

describe("rules", () => {
  const shape = z.object({ a: z.int32(), b: z.int32().optional() });
  const first = { message: "first", cel: "self.a > 0", check: ({ a }: { a: number }) => a > 0, fieldPath: ".a" };
  const second = { message: "second", cel: "self.a < 9", check: ({ a }: { a: number }) => a < 9 };

  it("are said to the API server in order", () => {
    const ruled = withTransitionRule(withRule(withRule(shape, first), second), {
      message: "third",
      cel: "self == oldSelf",
    });
    expect(structuralSchema(ruled.describe("ruled."), "spec")["x-kubernetes-validations"]).toEqual([
      { rule: "self.a > 0", message: "first", fieldPath: ".a" },
      { rule: "self.a < 9", message: "second" },
      { rule: "self == oldSelf", message: "third" },
    ]);
  });

  it("are judged by our parser, which names the same field", () => {
    const ruled = withRule(withRule(shape, first), second);
    expect(ruled.safeParse({ a: 1 }).success).toBe(true);
    expect(ruled.safeParse({ a: 0 }).error?.issues).toMatchObject([{ message: "first", path: ["a"] }]);
    expect(ruled.safeParse({ a: 9 }).error?.issues).toMatchObject([{ message: "second", path: [] }]);
  });

  it("hold a pattern in words", () => {
    const text = matching(z.string().max(3), /^a\/b$/, "must be a/b");
    expect(structuralSchema(text, "spec")).toEqual({
      type: "string",
      maxLength: 3,
      "x-kubernetes-validations": [{ rule: "self.matches(r'^a/b$')", message: "must be a/b" }],
    });
    expect(() => matching(z.string(), /'/, "must be a quote")).toThrow(/has a quote/);
  });
});
