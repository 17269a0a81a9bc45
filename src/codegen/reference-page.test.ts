import { expect, it } from "vitest";
import { Automation, kinds, reasonMeanings, reasons, SandboxClass } from "../api/v1alpha1/index.ts";
import { fileName, reasonsPage, referenceIndex, referencePage } from "./reference-page.ts";
import { limitsOf, typeOf } from "./schema-words.ts";
import type { StructuralSchema } from "./structural-schema.ts";

it.each<[string, StructuralSchema, string, string]>([
  ["a text", { type: "string", minLength: 1, maxLength: 15_000 }, "string", "1 to 15,000 characters"],
  ["a choice", { type: "string", enum: ["a", "b"] }, "`a`, `b`", ""],
  ["an instant", { type: "string", format: "date-time", maxLength: 64 }, "time (RFC 3339)", ""],
  ["a number", { type: "integer", minimum: 0, maximum: 9, multipleOf: 3 }, "integer", "0 to 9; multiple of 3"],
  [
    "a number that only grows",
    { type: "integer", minimum: -1, maximum: Number.MAX_SAFE_INTEGER },
    "integer",
    "at least -1",
  ],
  [
    "a list",
    { type: "array", "x-kubernetes-list-type": "set", maxItems: 8, items: { type: "string", maxLength: 3 } },
    "list (set) of string",
    "at most 8 entries; each at most 3 characters",
  ],
  [
    "a map",
    { type: "object", maxProperties: 2, additionalProperties: { type: "string" } },
    "map of string",
    "at most 2 entries",
  ],
  ["any scalar", { "x-kubernetes-preserve-unknown-fields": true }, "any scalar", ""],
])("says type and limits of %s", (_, schema, type, limits) => {
  expect(typeOf(schema)).toBe(type);
  expect(limitsOf(schema)).toBe(limits);
});

it("names fields by their whole path, with the words of their rules", () => {
  const page = referencePage(Automation);
  expect(page).toContain("| `trigger.webhook.filters[].path` | string, required | at most 1,024 characters |");
  expect(page).toContain("| `trigger.webhook.rateLimit.burst` | integer | 1 to 10,000 | `50` |");
  expect(page).toContain("| `metadata.name` | must be a DNS label of at most 63 characters");
  expect(page).toContain("| `spec.trigger.schedule.cron` | trigger type Schedule needs a cron expression |");
});

it("explains every reason", () => {
  const page = reasonsPage(reasonMeanings);
  for (const reason of Object.values(reasons)) expect(page).toContain(`| \`${reason}\` | `);
});

it("has a file of its own for every kind, which the index links", () => {
  expect(fileName(SandboxClass)).toBe("sandbox-class.md");
  for (const kind of kinds) expect(referenceIndex(kinds)).toContain(`[${kind.kind}](${fileName(kind)})`);
});
