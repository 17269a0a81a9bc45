import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { isOnPath, run } from "../lib/command.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { kind as published, kindNodeImage } from "../toolchain/fetch/pins.ts";
import { ensureGoProgram, goInstall } from "../toolchain/go-build.ts";
import { ensureKubectl } from "./kubernetes/programs.ts";
import type { LocalCluster } from "./handle.ts";

const { title, version } = published;
const clusterName = "runwright";

/** Path of the kubeconfig file of the kind cluster. */
export function kindKubeconfig(): string {
  return join(cacheDirectory(), "kind", "kubeconfig");
}

/** Brings up a kind cluster of our name, or uses the one that is there. */
export async function kindUp(progress: Progress): Promise<LocalCluster> {
  const kind = await ensureKind(progress);
  const kubeconfig = kindKubeconfig();
  await mkdir(dirname(kubeconfig), { recursive: true });
  const isNew = !(await run(kind, ["get", "clusters"])).split("\n").includes(clusterName);
  if (!isNew) {
    progress("the kind cluster is up already");
    await run(kind, ["export", "kubeconfig", "--name", clusterName, "--kubeconfig", kubeconfig]);
  } else {
    const place = ["--name", clusterName, "--kubeconfig", kubeconfig];
    const create = ["create", "cluster", ...place, "--image", kindNodeImage, "--wait", "180s"];
    await whileReporting(progress, "creating a kind cluster", () => run(kind, create));
  }
  return {
    kind: "kind",
    isNew,
    kubeconfig,
    kubectl: (await isOnPath("kubectl")) ? "kubectl" : await ensureKubectl(progress),
    hasImage: (name) =>
      onNode("crictl", "inspecti", "--quiet", name).then(
        () => true,
        () => false,
      ),
    async load(archive) {
      await run(kind, ["load", "image-archive", archive, "--name", clusterName]);
    },
    async killKubelet() {
      await onNode("systemctl", "kill", "--signal=KILL", "kubelet");
      // Else systemd starts it again within a second.
      await onNode("systemctl", "stop", "kubelet");
    },
    async startKubelet() {
      await onNode("systemctl", "start", "kubelet");
    },
  };
}

function onNode(...command: string[]): Promise<string> {
  return run("docker", ["exec", `${clusterName}-control-plane`, ...command]);
}

/** Deletes the kind cluster of our name. */
export async function kindDown(progress: Progress): Promise<void> {
  const kind = await ensureKind(progress);
  progress("deleting the kind cluster");
  await run(kind, ["delete", "cluster", "--name", clusterName]);
}

async function ensureKind(progress: Progress): Promise<string> {
  if (await isOnPath("kind")) return "kind";
  return ensureGoProgram(
    {
      title,
      published,
      path: join(cacheDirectory(), "kind", version, "kind"),
      build: (output, options) => goInstall(`sigs.k8s.io/kind@v${version}`, output, options),
    },
    progress,
  );
}
