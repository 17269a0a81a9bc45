import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { cacheDirectory } from "../lib/cache.ts";
import { CommandError, isOnPath, run } from "../lib/command.ts";
import { whileReporting, type Progress } from "../lib/progress.ts";
import { kind as published, kindNodeImage } from "../toolchain/fetch/pins.ts";
import { ensureGoProgram, goInstall } from "../toolchain/go-build.ts";
import { ensureKubectl } from "./kubernetes/programs.ts";
import { killContainers } from "./containers.ts";
import type { LocalCluster } from "./handle.ts";

const { title, version } = published;
const clusterName = "runwright";

/** Path of the kubeconfig file of the kind cluster. */
export function kindKubeconfig(): string {
  return join(cacheDirectory(), "kind", "kubeconfig");
}

/** Brings up a kind cluster of our name, or uses a healthy one; one that was stopped or half made is made anew. */
export async function kindUp(progress: Progress): Promise<LocalCluster> {
  const kind = await findKind(progress);
  const kubeconfig = kindKubeconfig();
  await mkdir(dirname(kubeconfig), { recursive: true });
  const place = ["--name", clusterName, "--kubeconfig", kubeconfig];
  const isNew = !(await isHealthy());
  if (!isNew) {
    progress("the kind cluster is up already");
    await run(kind, ["export", "kubeconfig", ...place]);
  } else {
    await run(kind, ["delete", "cluster", ...place]);
    const create = ["create", "cluster", ...place, "--image", kindNodeImage, "--wait", "180s"];
    await whileReporting(progress, "creating a kind cluster", () => run(kind, create).catch(explainPull));
    // kind waits for the node alone.
    await whileReporting(progress, "waiting for the cluster's DNS", () => waitForDns("90s"));
  }
  return {
    kind: "kind",
    isNew,
    kubeconfig,
    kubectl: (await isOnPath("kubectl")) ? "kubectl" : await ensureKubectl(progress),
    hasImage: (name) => succeeds(onNode("crictl", "inspecti", "--quiet", name)),
    async load(archive) {
      await run(kind, ["load", "image-archive", archive, "--name", clusterName]);
    },
    // The others are static pods, or end the node's containers.
    programs: ["kubelet"],
    async kill(program) {
      await onNode("systemctl", "kill", "--signal=KILL", program);
      // Else systemd starts it again within a second.
      await onNode("systemctl", "stop", program);
    },
    async start(program) {
      await onNode("systemctl", "start", program);
    },
    killContainers: (container) => killContainers((...args) => onNode("ctr", ...args), container),
  };
}

/** Says in one sentence that Docker has no way to the node's image; other errors are thrown as they are. */
function explainPull(error: unknown): never {
  if (!(error instanceof CommandError && error.message.includes("failed to pull image"))) throw error;
  const [, reason = "it gave no reason"] = /Error response from daemon: (.+)/.exec(error.message) ?? [];
  throw new Error(
    `Docker cannot pull ${kindNodeImage}, from which kind makes its node: ${reason}\n` +
      "Give the Docker engine a way to that registry, such as a proxy in its settings, or load the image with docker load",
    { cause: error },
  );
}

/** Whether the API server says that node and DNS are well. */
async function isHealthy(): Promise<boolean> {
  const node = kubectlWait("--for=condition=Ready", "node", "--all", "--timeout=5s");
  return succeeds(node.then(() => waitForDns("5s")));
}

function waitForDns(limit: string): Promise<string> {
  return kubectlWait(
    "--for=condition=Available",
    "--namespace=kube-system",
    "deployment/coredns",
    `--timeout=${limit}`,
  );
}

function kubectlWait(...args: string[]): Promise<string> {
  return onNode("kubectl", "--kubeconfig=/etc/kubernetes/admin.conf", "wait", ...args);
}

function succeeds(command: Promise<string>): Promise<boolean> {
  return command.then(
    () => true,
    () => false,
  );
}

function onNode(...command: string[]): Promise<string> {
  return run("docker", ["exec", `${clusterName}-control-plane`, ...command]);
}

/** Deletes the kind cluster of our name. */
export async function kindDown(progress: Progress): Promise<void> {
  const kind = await findKind(progress);
  progress("deleting the kind cluster");
  await run(kind, ["delete", "cluster", "--name", clusterName]);
}

async function findKind(progress: Progress): Promise<string> {
  return (await isOnPath("kind")) ? "kind" : ensureKind(progress);
}

/** Gives the path of kind, downloaded or built the first time. */
export async function ensureKind(progress: Progress): Promise<string> {
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
