import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { freePorts } from "../../lib/ports.ts";
import { Connection } from "../../toolchain/fetch/connection.ts";
import type { Means } from "../../toolchain/fetch/install.ts";
import { controlPlane, kubectl } from "../../toolchain/fetch/pins.ts";
import { kubernetesVersion } from "./kubernetes.ts";
import { ensureControlPlane, ensureKubectl } from "./programs.ts";

const silent = (): void => undefined;

let folder: string;
let means: Means;

/** A machine with an empty cache, without Go, whose proxy refuses connections. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "programs-"));
  const [closed = 0] = await freePorts(1);
  means = { connection: new Connection({ HTTPS_PROXY: `http://127.0.0.1:${closed}` }), platform: "linux-amd64" };
  await mkdir(join(folder, "path"));
  await symlink("/bin/sh", join(folder, "path", "sh"));
  vi.stubEnv("PATH", join(folder, "path"));
  vi.stubEnv("RUNWRIGHT_CACHE", join(folder, "cache"));
  vi.stubEnv("HOME", folder);
  vi.stubEnv("XDG_DATA_HOME", join(folder, "data"));
  vi.stubEnv("KUBEBUILDER_ASSETS", "");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await means.connection.close();
  await rm(folder, { recursive: true });
});

describe("without Go", () => {
  it("the control plane is the one that was downloaded before", async () => {
    const place = await fill(join(folder, "cache", "envtest", controlPlane.version));
    await expect(ensureControlPlane(silent, means)).resolves.toEqual({
      etcd: join(place, "etcd"),
      "kube-apiserver": join(place, "kube-apiserver"),
      kubectl: join(place, "kubectl"),
    });
    await expect(ensureKubectl(silent, means)).resolves.toBe(join(place, "kubectl"));
  });

  it("KUBEBUILDER_ASSETS goes before a download", async () => {
    await fill(join(folder, "cache", "envtest", controlPlane.version));
    const assets = await fill(join(folder, "assets"));
    vi.stubEnv("KUBEBUILDER_ASSETS", assets);
    await expect(ensureControlPlane(silent, means)).resolves.toMatchObject({ etcd: join(assets, "etcd") });
  });

  it("kubectl is the one that was downloaded before", async () => {
    const place = await fill(join(folder, "cache", "kubectl", kubectl.version));
    await expect(ensureKubectl(silent, means)).resolves.toBe(join(place, "kubectl"));
  });

  it.each([
    { what: controlPlane.title, ensure: ensureControlPlane },
    { what: kubectl.title, ensure: ensureKubectl },
  ])("one sentence says what to install where $what cannot be downloaded", async ({ what, ensure }) => {
    const sentence = `^${what} was not downloaded \\(.*ECONNREFUSED.*\\) and there is no Go: install Go [^\n]*KUBEBUILDER_ASSETS$`;
    await expect(ensure(silent, means)).rejects.toThrow(new RegExp(sentence));
  });
});

it("kubectl is pinned at the version of the cluster", () => {
  expect(kubectl.version).toBe(kubernetesVersion);
});

async function fill(place: string): Promise<string> {
  await mkdir(place, { recursive: true });
  for (const name of ["etcd", "kube-apiserver", "kubectl"]) {
    await writeFile(join(place, name), "#!/bin/sh\n");
    await chmod(join(place, name), 0o755);
  }
  return place;
}
