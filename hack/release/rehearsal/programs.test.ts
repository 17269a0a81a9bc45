import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { run } from "../../lib/command.ts";
import { writePrograms } from "./programs.ts";

let folder: string;
let checkout: string;
const at = (name: string): string => join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "programs-"));
  await mkdir(at("published"));
  // Each real program says with what it was called.
  await writeFile(at("real"), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
  const real = { cosign: at("real"), helm: at("real"), skopeo: at("real") };
  await writePrograms(at("programs"), { ...real, key: "/the.key", published: at("published") });
  checkout = at("checkout");
  await run("git", ["init", "--quiet", "--bare", at("origin")]);
  await run("git", ["clone", "--quiet", at("origin"), checkout]);
});
afterEach(() => rm(folder, { recursive: true }));

function call(program: string, ...args: string[]): Promise<string> {
  return run(join(folder, "programs", program), args, { cwd: checkout });
}

it("cosign signs by the key, and does nothing else with it", async () => {
  const signs = "--key /the.key --use-signing-config=false --tlog-upload=false";
  expect(await call("cosign", "sign", "--yes", "image")).toBe(`sign ${signs} --yes image\n`);
  expect(await call("cosign", "sign-blob", "file")).toBe(`sign-blob ${signs} file\n`);
  expect(await call("cosign", "version")).toBe("version\n");
});

it("helm pushes without TLS, and packages as it is", async () => {
  expect(await call("helm", "push", "a.tgz", "oci://here")).toBe("push a.tgz oci://here --plain-http\n");
  expect(await call("helm", "package", "chart")).toBe("package chart\n");
});

it("docker shows what the registry has, and refuses all else", async () => {
  const shown = await call("docker", "buildx", "imagetools", "inspect", "--raw", "here/image@sha256:0");
  expect(shown).toBe("inspect --raw --tls-verify=false docker://here/image@sha256:0\n");
  await expect(call("docker", "push", "image")).rejects.toThrow("no stand-in for docker push image");
});

it("gh publishes the files of a tag that is there, and of no other", async () => {
  const release = ["release", "create", "v1.0.0", "--verify-tag", "--generate-notes", "./file"];
  await writeFile(join(checkout, "file"), "");
  await expect(call("gh", ...release)).rejects.toThrow("there is no tag v1.0.0");
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  await run("git", ["-C", checkout, ...author, "commit", "--quiet", "--allow-empty", "--message=one"]);
  await run("git", ["-C", checkout, "push", "--quiet", "origin", "HEAD:refs/tags/v1.0.0"]);
  await call("gh", ...release);
  expect(await readdir(at("published"))).toEqual(["file"]);
  await expect(call("gh", "release", "delete", "v1.0.0")).rejects.toThrow("no stand-in for gh release delete v1.0.0");
});
