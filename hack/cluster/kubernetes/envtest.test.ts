import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { onLinux } from "../../lib/on-linux.ts";
import { findEnvtest, suitableVersions } from "./envtest.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "envtest-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("suitableVersions", () => {
  it.each([
    {
      name: "puts the newest first, by number and not by letter",
      folders: ["1.35.9-linux-amd64", "1.35.10-linux-amd64", "1.36.0-linux-amd64"],
      want: ["1.36.0-linux-amd64", "1.35.10-linux-amd64", "1.35.9-linux-amd64"],
    },
    { name: "takes the oldest that we support", folders: ["1.35.0-linux-amd64"], want: ["1.35.0-linux-amd64"] },
    { name: "leaves out what is older", folders: ["1.34.9-linux-amd64"], want: [] },
    { name: "leaves out other machines", folders: ["1.35.0-linux-arm64", "1.35.0-darwin-amd64"], want: [] },
    { name: "leaves out what is no version", folders: ["latest", "1.35-linux-amd64"], want: [] },
  ])("$name", ({ folders, want }) => {
    expect(suitableVersions(folders, "linux-amd64")).toEqual(want);
  });
});

describe("findEnvtest", () => {
  it("takes KUBEBUILDER_ASSETS when it holds all programs", async () => {
    await fill(folder, ["etcd", "kube-apiserver", "kubectl"]);
    await expect(findEnvtest({ KUBEBUILDER_ASSETS: folder })).resolves.toBe(folder);
  });

  it("refuses a KUBEBUILDER_ASSETS that lacks one, naming variable and folder", async () => {
    await fill(folder, ["etcd", "kube-apiserver"]);
    await expect(findEnvtest({ KUBEBUILDER_ASSETS: folder })).rejects.toThrow(`KUBEBUILDER_ASSETS is "${folder}"`);
  });

  it.runIf(onLinux("archives in this place"))("passes over an archive of the store that lacks a program", async () => {
    const platform = `linux-${process.arch === "x64" ? "amd64" : process.arch}`;
    const store = join(folder, "kubebuilder-envtest", "k8s");
    await fill(join(store, `1.36.0-${platform}`), ["etcd"]);
    await fill(join(store, `1.35.0-${platform}`), ["etcd", "kube-apiserver", "kubectl"]);
    await expect(findEnvtest({ XDG_DATA_HOME: folder })).resolves.toBe(join(store, `1.35.0-${platform}`));
  });

  it("finds nothing where nothing is", async () => {
    await expect(findEnvtest({ XDG_DATA_HOME: folder, KUBEBUILDER_ASSETS: "" })).resolves.toBeUndefined();
  });
});

async function fill(path: string, programs: readonly string[]): Promise<void> {
  await mkdir(path, { recursive: true });
  for (const program of programs) await writeFile(join(path, program), "");
}
