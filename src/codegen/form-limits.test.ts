import { expect, it } from "vitest";
import { z } from "zod";
import { LabelName, matching, ServiceAccountName, withRule } from "../api/v1alpha1/index.ts";
import { textLimits } from "./form-limits.ts";
import { structuralSchema } from "./structural-schema.ts";

const of = (schema: z.ZodString, judged?: string[]) =>
  textLimits("field", { schema: structuralSchema(schema, "field"), ...(judged && { judged }) });

it("has lengths, patterns and forbidden texts with the words of the API server", () => {
  expect(of(LabelName)).toEqual({
    minLength: 1,
    maxLength: 63,
    rules: [{ pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", message: expect.stringContaining("DNS label") as string }],
  });
  expect(of(ServiceAccountName).rules).toContainEqual({
    not: "default",
    message: expect.stringContaining("must not be default") as string,
  });
  expect(of(matching(z.string().max(5), /^a\/b$/, "must be a/b")).rules).toEqual([
    { pattern: "^a\\/b$", message: "must be a/b" },
  ]);
});

const long = withRule(z.string().max(9), { message: "must be even", cel: "size(self) % 2 == 0", check: () => true });

it("loses no rule, and knows those that the page judges itself", () => {
  expect(() => of(long)).toThrow("the page cannot judge field by size(self) % 2 == 0");
  expect(of(long, ["must be even"]).rules).toEqual([]);
  expect(() => of(long, ["must be odd"])).toThrow('field has no rule "must be odd"');
  expect(() => of(z.string())).toThrow("field is a text without a longest length");
});
