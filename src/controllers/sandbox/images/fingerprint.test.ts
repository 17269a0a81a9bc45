import { expect, it } from "vitest";
import { type ClonedRepository, imageFingerprint } from "./fingerprint.ts";

const web: ClonedRepository = { name: "web", url: "https://git.example.com/acme/web.git", branch: "main" };
const api: ClonedRepository = { name: "api", url: "https://git.example.com/acme/api.git", branch: "main" };
const of = (repositories: readonly ClonedRepository[], scopeUid = "uid"): string =>
  imageFingerprint(scopeUid, repositories);

it.each<[string, string, boolean]>([
  ["the same list", of([web, api]), true],
  ["Repositories in another order", of([api, web]), false],
  ["a Repository less", of([web]), false],
  ["a branch in another case", of([{ ...web, branch: "Main" }, api]), false],
  ["a URL in another case", of([{ ...web, url: "https://git.example.com/Acme/Web.git" }, api]), true],
  ["another URL", of([{ ...web, url: "https://git.example.com/acme/web2.git" }, api]), false],
  ["another Repository of the same URL", of([{ ...web, name: "web2" }, api]), false],
  ["a commit instead of a branch", of([{ ...web, commit: "a".repeat(40) }, api]), false],
  ["another object of the same Repositories", of([web, api], "other"), false],
  ["a shallow clone", of([{ ...web, clone: { depth: 1 } }, api]), false],
  ["clone options that are empty", of([{ ...web, clone: {} }, api]), true],
  ["what no clone depends on", of([{ ...web, settings: {}, description: "d" } as ClonedRepository, api]), true],
])("fingerprints (03 4.2): %s", (_, fingerprint, isSame) => {
  expect(fingerprint === of([web, api])).toBe(isSame);
});

it("a fingerprint is a SHA-256", () => {
  expect(of([web])).toMatch(/^sha256:[0-9a-f]{64}$/);
});
