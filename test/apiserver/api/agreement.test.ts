import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";

import { apiVersion, Automation, Repository, Run, SandboxClass, type Kind } from "../../../src/api/v1alpha1/index.ts";
import { makeNamespace, testApi } from "../../support/cluster.ts";
import { collectionPath } from "./paths.ts";

/** Objects that are tried for each row; one with a list tries 64 texts. */
const numRuns = 25;

let namespace: string;
beforeAll(async () => {
  namespace = await makeNamespace("agreement");
});

/** Fields of an object that the API server refuses, in order of their names. */
async function refusedByServer(kind: Kind, spec: object): Promise<string[]> {
  const object = { apiVersion, kind: kind.kind, metadata: { name: "tried" }, spec };
  const { body } = await testApi().send("POST", `${collectionPath(kind, namespace)}?dryRun=All`, object);
  const { details } = body as { details?: { causes?: { field: string }[] } };
  // One without a field says that other rules were not judged.
  return unique((details?.causes ?? []).map(({ field }) => field).filter((field) => field !== "<nil>"));
}

function refusedBySchema(kind: Kind, spec: object): string[] {
  const { error } = kind.schema.safeParse({ spec });
  const fields = (error?.issues ?? []).map(({ path }) =>
    path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join(""),
  );
  return unique(fields.map((field) => field.slice(1)));
}

function unique(fields: string[]): string[] {
  return [...new Set(fields)].sort();
}

function textOf(...parts: string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 12 }).map((found) => found.join(""));
}

function sixtyFour(texts: fc.Arbitrary<string>): fc.Arbitrary<string[]> {
  return fc.array(texts, { minLength: 64, maxLength: 64 });
}

const path = fc
  .tuple(
    fc.constantFrom("$.", "$", ""),
    textOf(".", "a", "[0]", "*", "?", "(", " ", "é", "🚀", "\n", "\u0085", "\u2028"),
  )
  .map((parts) => parts.join(""));
const cidr = textOf("10.", "1.2.3", "0", "255", "256", ".", ":", "::", "ffff", "fd00", "/", "/8", "/128", "%e");
const instant = textOf(
  "2026-05-04",
  "2024-02-29",
  "T",
  "t",
  "10:15:00",
  "23:59:59",
  "24:00:00",
  ".5",
  "Z",
  "z",
  "+02:00",
  "-99:00",
);
const url = textOf(
  "https://",
  "http://",
  "a",
  "A.b",
  "[::1]",
  ":80",
  ":",
  "/",
  "@",
  " ",
  "?q",
  "#",
  "%20",
  "é",
  "\n",
  "~",
);
const cronNumber = fc.oneof(fc.nat(9), fc.nat(65)).map(String);
const cronValue = fc.oneof(
  cronNumber,
  cronNumber,
  fc.constantFrom("07", "008", "jan", "Dec", "SUN", "Sat", "FOO", "L", "?", "-1"),
);
const cronItem = fc
  .tuple(
    fc.oneof(
      fc.constant("*"),
      cronValue,
      fc.tuple(cronValue, cronValue).map((range) => range.join("-")),
    ),
    fc.option(cronValue),
  )
  .map(([base, step]) => (step === null ? base : `${base}/${step}`));
const cronField = fc.oneof(
  { weight: 3, arbitrary: fc.constant("*") },
  { weight: 2, arbitrary: cronValue },
  { weight: 3, arbitrary: fc.array(cronItem, { minLength: 1, maxLength: 3 }).map((items) => items.join(",")) },
);
/** Slots that are too near where the days follow one another. */
const aroundMidnight = fc.tuple(fc.constant("5,55 0,23"), cronField, cronField, cronField);
const cron = fc
  .oneof(fc.tuple(cronValue, cronField, cronField, cronField, cronField), aroundMidnight)
  .map((fields) => fields.join(" "));

const zone = textOf("UTC", "Europe", "/", "Paris", "_", "-", "+2", "02:00", " ", "é", "\n");
const name = textOf(" ", "\t", "\u00a0", "\u0085", "\u2003", "\ufeff", "\v", "\n");

const automation = { instructions: "do", serviceAccountName: "runner", trigger: { type: "Webhook" } };

it.each<[string, Kind, fc.Arbitrary<object>]>([
  [
    "a filter's path",
    Automation,
    sixtyFour(path).map((paths) => {
      const filters = paths.map((text) => ({ path: text, operator: "exists" }));
      return { ...automation, trigger: { type: "Webhook", webhook: { filters } } };
    }),
  ],
  [
    "a range",
    SandboxClass,
    sixtyFour(cidr).map((ranges) => ({ egress: { allow: ranges.map((text) => ({ cidr: text })) } })),
  ],
  ["a display name", Automation, name.map((displayName) => ({ ...automation, displayName }))],
  [
    "a time zone",
    Automation,
    zone.map((timeZone) => ({
      ...automation,
      trigger: { type: "Schedule", schedule: { cron: "0 * * * *", timeZone } },
    })),
  ],
  ["a URL", Repository, url.map((text) => ({ url: `https://a${text}` }))],
  ["an instant", Run, instant.map((time) => ({ automationRef: { name: "a" }, trigger: { type: "Manual", time } }))],
])("our schema and the API server agree on %s", async (_, kind, specs) => {
  await fc.assert(
    fc.asyncProperty(specs, async (spec) => {
      expect(refusedBySchema(kind, spec)).toEqual(await refusedByServer(kind, spec));
    }),
    { numRuns },
  );
});

it("our schema and the API server agree on what is a cron expression", async () => {
  await fc.assert(
    fc.asyncProperty(cron, async (text) => {
      const spec = { ...automation, trigger: { type: "Schedule", schedule: { cron: text } } };
      const object = { apiVersion, kind: "Automation", metadata: { name: "tried" }, spec };
      const answer = await testApi().send("POST", `${collectionPath(Automation, namespace)}?dryRun=All`, object);
      expect(answer.status === 201, JSON.stringify(answer.body)).toBe(Automation.schema.safeParse({ spec }).success);
    }),
    { numRuns: 800 },
  );
});
