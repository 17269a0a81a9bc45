import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { apiVersion, kinds } from "../../../src/api/v1alpha1/index.ts";
import { makeNamespace, testApi } from "../../support/cluster.ts";
import { parseManifests, type Manifest } from "../../support/manifests.ts";
import { collectionPath } from "./paths.ts";

const docs = join(import.meta.dirname, "..", "..", "..", "docs");
const pages = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
const documents = pages
  .map((name) => ({ name, text: readFileSync(join(docs, name), "utf8") }))
  .filter(({ name, text }) => isOfKind(name) || examplesIn(text).length > 0);
/** The pages of kinds, which have an example each. */
const ofKinds = documents.filter(({ name }) => isOfKind(name));

function isOfKind(name: string): boolean {
  return dirname(name) === "kinds";
}

/** Our objects in the YAML blocks of a page. */
function examplesIn(text: string): Manifest[] {
  const blocks = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  return blocks.flatMap(parseManifests).filter((object) => object.apiVersion === apiVersion);
}

let namespace: string;
beforeAll(async () => {
  namespace = await makeNamespace("documents");
});

describe.each(documents)("$name", ({ text }) => {
  const examples = examplesIn(text);

  it("has an example, as far as it is a kind's", () => {
    expect(examples).not.toEqual([]);
  });

  it.each(examples)("has an example $kind that the API server takes", async (example) => {
    const kind = kinds.find((candidate) => candidate.kind === example.kind);
    const path = collectionPath(kind ?? { plural: example.kind, namespaced: true }, namespace);
    const metadata = { ...example.metadata, ...(kind?.namespaced ? { namespace } : {}) };
    const answer = await testApi().send("POST", `${path}?dryRun=All&fieldValidation=Strict`, { ...example, metadata });
    expect(answer).toMatchObject({ status: 201 });
  });
});

it("is a page for each kind", () => {
  const described = ofKinds.flatMap(({ text }) => examplesIn(text).map(({ kind }) => kind));
  expect(new Set(described)).toEqual(new Set(kinds.map(({ kind }) => kind)));
});
