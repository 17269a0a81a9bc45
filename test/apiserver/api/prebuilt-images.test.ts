import { beforeAll, describe, expect, it } from "vitest";
import { apiVersion, PrebuiltImage } from "../../../src/api/v1alpha1/index.ts";
import { makeNamespace, testApi } from "../../support/cluster.ts";
import { collectionPath } from "./paths.ts";

// What the product says of records of images (03 4.2, 4.5 rows 10 and 11): what cannot be read cannot be stored either.

let namespace: string;
let path: string;
beforeAll(async () => {
  namespace = await makeNamespace("images");
  path = collectionPath(PrebuiltImage, namespace);
});

const object = (name: string, spec: object): object => ({
  apiVersion,
  kind: PrebuiltImage.kind,
  metadata: { name },
  spec: { sandboxClassName: "c", ...spec },
});
const web = { repositoryRef: { name: "web" } };
const shop = { environmentRef: { name: "shop" } };

describe("scopes", () => {
  it.each<[string, object, number]>([
    ["a Repository", web, 201],
    ["an Environment", shop, 201],
    ["both", { ...web, ...shop }, 422],
    ["none", {}, 422],
    ["an unknown field", { ...web, branch: "main" }, 400],
  ])("%s", async (_, spec, status) => {
    const query = "?dryRun=All&fieldValidation=Strict";
    expect(await testApi().send("POST", `${path}${query}`, object("a", spec))).toMatchObject({ status });
  });

  it.each<[string, object, number]>([
    ["another Repository", { repositoryRef: { name: "api" } }, 422],
    ["an Environment instead", { repositoryRef: null, ...shop }, 422],
    ["another class", { sandboxClassName: "d" }, 200],
  ])("a change to %s", async (_, spec, status) => {
    await testApi().send("POST", path, object("fixed", web));
    expect(await testApi().send("PATCH", `${path}/fixed?dryRun=All`, { spec })).toMatchObject({ status });
  });
});

const image = {
  build: 1,
  archive: "a1",
  digest: `sha256:${"d".repeat(64)}`,
  bytes: 5,
  fingerprint: `sha256:${"f".repeat(64)}`,
  commits: [{ repository: "web", commit: "a".repeat(40) }],
  runtimeVersion: 1,
  classImage: "sandbox:1",
  architecture: "amd64",
  secretsMAC: "m",
  time: "2026-05-04T10:00:00Z",
};

describe("a stored image", () => {
  it.each<[string, object, number]>([
    ["as builds store it", {}, 200],
    ["of a SHA-256 repository", { commits: [{ repository: "web", commit: "a".repeat(64) }] }, 200],
    ["with a runtime version that is no number", { runtimeVersion: "dev" }, 422],
    ["with runtime version 0", { runtimeVersion: 0 }, 422],
    ["with a commit that is none", { commits: [{ repository: "web", commit: "main" }] }, 422],
    ["with an abbreviated commit", { commits: [{ repository: "web", commit: "a".repeat(39) }] }, 422],
    ["without commits", { commits: undefined }, 422],
    ["without a digest", { digest: undefined }, 422],
    ["with less than no bytes", { bytes: -1 }, 422],
  ])("%s", async (_, change, status) => {
    await testApi().send("POST", path, object("stored", web));
    const body = { status: { image: { ...image, ...change } } };
    expect(await testApi().send("PATCH", `${path}/stored/status?dryRun=All`, body)).toMatchObject({ status });
  });
});
