import { join } from "node:path";

import { cacheDirectory } from "../../lib/cache.ts";
import { run } from "../../lib/command.ts";
import type { Progress } from "../../lib/progress.ts";
import { ensureGoProgram } from "../../toolchain/go-build.ts";
import { kubernetesVersion } from "../kubernetes/kubernetes.ts";

const recipe = join(import.meta.dirname, "kubeadm");

/** Gives the path of kubeadm, built the first time. */
export async function ensureKubeadm(progress: Progress): Promise<string> {
  const [major, minor] = kubernetesVersion.split(".");
  const component = "k8s.io/component-base/version";
  const stamps = [`gitVersion=v${kubernetesVersion}`, `gitMajor=${major}`, `gitMinor=${minor}`];
  const linkerFlags = ["-s", "-w", ...stamps.map((stamp) => `-X ${component}.${stamp}`)].join(" ");
  return ensureGoProgram(
    {
      title: `kubeadm ${kubernetesVersion}`,
      path: join(cacheDirectory(), "kubeadm", kubernetesVersion, "kubeadm"),
      build: (output, options) =>
        run("go", ["build", "-trimpath", "-ldflags", linkerFlags, "-o", output, "."], { ...options, cwd: recipe }),
    },
    progress,
  );
}
