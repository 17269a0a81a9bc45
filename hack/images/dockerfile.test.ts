import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");

it("starts from an image that is named by version and digest, with the Node that develops it", async () => {
  const [, version] = /^const nodeVersion = "(.+)";$/m.exec(await read("hack/run.mjs")) ?? [];
  const [, image] = /^ARG NODE_IMAGE=(.+)$/m.exec(await read("Dockerfile")) ?? [];
  expect(image).toMatch(new RegExp(String.raw`^node:${version}-bookworm-slim@sha256:[0-9a-f]{64}$`));
});

it("builds from nothing else that comes from a registry", async () => {
  const dockerfile = await read("Dockerfile");
  const stages = [...dockerfile.matchAll(/^FROM .* AS (.+)$/gm)].map(([, name]) => name);
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base = ""]) => base);
  const known = ["scratch", "${NODE_IMAGE}", "${BUNDLES}", ...stages];
  expect(bases.filter((base) => !known.includes(base))).toEqual([]);
});

it.each(["Dockerfile", "hack/run.mjs", ".github/workflows/ci.yml", ".github/workflows/release.yml"])(
  "%s installs the locked dependencies without running their scripts",
  async (path) => {
    const installs = (await read(path)).split("\n").filter((line) => /npm ci|\["ci"/.test(line));
    expect(installs).not.toEqual([]);
    expect(installs.filter((line) => !line.includes("--ignore-scripts"))).toEqual([]);
  },
);
