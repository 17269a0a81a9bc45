import { createHash } from "node:crypto";
import { readFile, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";

import { cacheDirectory } from "../../lib/cache.ts";
import { run, type CommandOptions } from "../../lib/command.ts";
import type { Progress } from "../../lib/progress.ts";
import { ensureGoProgram, exists } from "../../toolchain/go-build.ts";
import { ownRelease, type KubernetesRelease } from "./releases.ts";

/** The version of the local cluster. */
export const kubernetesVersion = ownRelease.version;

const recipe = import.meta.dirname;
const components = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubelet",
  "kube-proxy",
  "kubectl",
] as const;

/** Paths of all components of one Kubernetes release. */
export type KubernetesPrograms = Record<(typeof components)[number], string>;

/** Gives every component of our own build, made the first time from the Go modules of the release. */
export async function ensureKubernetes(progress: Progress, release = ownRelease): Promise<KubernetesPrograms> {
  const folder = await buildFolder(release);
  const build = (output: string, options: CommandOptions): Promise<void> => buildRelease(release, output, options);
  await ensureGoProgram({ title: `Kubernetes ${release.version}`, path: join(folder, "kube"), build }, progress);
  const programs = Object.fromEntries(components.map((name) => [name, join(folder, name)])) as KubernetesPrograms;
  for (const path of Object.values(programs)) await link(path);
  return programs;
}

/** Whether {@link ensureKubernetes} has nothing to build. */
export async function isKubernetesBuilt(release = ownRelease): Promise<boolean> {
  return exists(join(await buildFolder(release), "kube"));
}

async function buildRelease(
  { version, modules }: KubernetesRelease,
  output: string,
  options: CommandOptions,
): Promise<void> {
  const [, minor] = version.split(".");
  const component = "k8s.io/component-base/version";
  const stamps = [
    `${component}.gitVersion=v${version}`,
    `${component}.gitMajor=1`,
    `${component}.gitMinor=${minor}`,
    `k8s.io/client-go/pkg/version.gitVersion=v${version}`,
  ];
  const linkerFlags = ["-s", "-w", ...stamps.map((stamp) => `-X ${stamp}`)].join(" ");
  const args = ["build", `-modfile=${modules}`, "-trimpath", "-o", output, "-ldflags", linkerFlags, "."];
  await run("go", args, { ...options, cwd: recipe });
}

async function buildFolder(release: KubernetesRelease): Promise<string> {
  return join(cacheDirectory(), "kubernetes", `${release.version}-${await recipeHash(release)}`);
}

/** Short hash over the recipe's files, so that a changed recipe builds anew beside the old result. */
async function recipeHash({ modules }: KubernetesRelease): Promise<string> {
  const hash = createHash("sha256");
  const files = ["main.go", modules, modules.replace(/\.mod$/, ".sum")];
  for (const file of files) hash.update(await readFile(join(recipe, file)));
  return hash.digest("hex").slice(0, 12);
}

/** The program acts by the name it is started under, so each component is a link to it. */
async function link(path: string): Promise<void> {
  if (await exists(path)) return;
  await rm(path, { force: true });
  await symlink("kube", path).catch((error: unknown) => {
    // Another process made it in between.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
  if (!(await exists(path))) throw new Error(`${path} leads nowhere: remove ${dirname(path)} and try again`);
}
