import { join } from "node:path";

import { beforeAll, expect, it } from "vitest";

import { testApi } from "../support/cluster.ts";
import { readManifests, type Manifest } from "../support/manifests.ts";
import { collectionPath } from "./support/api-paths.ts";

const folder = join(import.meta.dirname, "..", "..", "manifests", "samples");

let objects: Manifest[];

beforeAll(async () => {
  const folders = [folder, join(folder, "credentials"), join(folder, "slack")];
  objects = (await Promise.all(folders.map(readManifests))).flat();
  const namespace = objects.find(({ kind }) => kind === "Namespace");
  expect((await testApi().send("POST", "/api/v1/namespaces", namespace)).status).toBe(201);
});

it("are taken by the API server as they are", async () => {
  const answers: unknown[] = [];
  for (const object of objects.filter(({ kind }) => kind !== "Namespace")) {
    const path = `${await collectionPath(testApi(), object)}?dryRun=All&fieldValidation=Strict`;
    const { status, body } = await testApi().send("POST", path, object);
    answers.push(status === 201 ? 201 : { kind: object.kind, status, body });
  }
  expect(answers.length).toBeGreaterThan(10);
  expect(new Set(answers)).toEqual(new Set([201]));
});

it("are the one tenant that the readme makes a key for", () => {
  const [automation] = objects.filter(({ kind }) => kind === "Automation");
  expect(automation?.metadata).toMatchObject({ namespace: "demo", name: "triage-alerts" });
});
