import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { type ClonedRepository, imageFingerprint, isFingerprintOf } from "./fingerprint.ts";

const web: ClonedRepository = { name: "web", url: "https://git.example.com/acme/web.git", branch: "main" };
const api: ClonedRepository = { name: "api", url: "https://git.example.com/acme/api.git", branch: "main" };
const of = (repositories: readonly ClonedRepository[], scopeUid = "uid"): string =>
  imageFingerprint(scopeUid, repositories).fingerprint;
const at = (url: string): string => of([{ ...web, url }, api]);

it.each<[string, string, boolean]>([
  ["the same list", of([web, api]), true],
  ["Repositories in another order", of([api, web]), false],
  ["a Repository less", of([web]), false],
  ["a branch in another case", of([{ ...web, branch: "Main" }, api]), false],
  ["a URL in another case", at("https://git.example.com/Acme/Web.git"), true],
  ["a URL without .git", at("https://git.example.com/acme/web"), true],
  ["a URL with a slash at its end", at("https://git.example.com/acme/web/"), true],
  ["a URL with its usual port", at("https://git.example.com:443/acme/web.git"), true],
  ["a URL with escapes", at("https://git.example.com/acme/%77eb.git"), true],
  ["a URL with another port", at("https://git.example.com:8443/acme/web.git"), false],
  ["a URL for SSH", at("git@git.example.com:acme/web.git"), false],
  ["another URL", at("https://git.example.com/acme/web2.git"), false],
  ["another Repository of the same URL", of([{ ...web, name: "web2" }, api]), false],
  ["a commit instead of a branch", of([{ ...web, commit: "a".repeat(40) }, api]), false],
  ["another object of the same Repositories", of([web, api], "other"), false],
  ["a shallow clone", of([{ ...web, clone: { depth: 1 } }, api]), false],
  ["clone options that are empty", of([{ ...web, clone: {} }, api]), true],
  ["what no clone depends on", of([{ ...web, settings: {}, description: "d" } as ClonedRepository, api]), true],
])("fingerprints (03 4.2): %s", (_, fingerprint, isSame) => {
  expect(fingerprint === of([web, api])).toBe(isSame);
});

it("both forms of a URL for SSH are one", () => {
  expect(at("ssh://git@git.example.com/acme/web")).toBe(at("git@git.example.com:acme/web.git"));
});

it("a fingerprint is a SHA-256", () => {
  expect(of([web])).toMatch(/^sha256:[0-9a-f]{64}$/);
});

it("what an earlier version stored is of the same URLs as they are written, and of nothing else", () => {
  const text = JSON.stringify(["uid", ["web", "https://git.example.com/acme/web.git", "main", "", 0, "", "None", ""]]);
  const stored = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  const isOf = (url: string): boolean => isFingerprintOf(stored, imageFingerprint("uid", [{ ...web, url }]));
  expect(isOf(web.url)).toBe(true);
  expect(isOf("https://git.example.com/Acme/web.git")).toBe(true);
  expect(isOf("https://git.example.com/acme/web")).toBe(false);
  expect(isFingerprintOf("sha256:x", { fingerprint: "sha256:y" })).toBe(false);
});
