import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { run } from "../../lib/command.ts";
import { whileReporting, type Progress } from "../../lib/progress.ts";
import { ensureSystemPrograms } from "../../toolchain/system-programs.ts";
import { ensureCoreDns } from "./coredns.ts";
import type { Cilium } from "../cilium/cilium.ts";
import { ciliumChained, pluginsWith, startEnforcer } from "../cilium/enforcer.ts";
import { ensureKubernetes } from "../kubernetes/kubernetes.ts";
import { ensurePause } from "./pause.ts";
import { killBackground, readBackground, restartBackground } from "./background.ts";
import { coreDnsImage, coreDnsManifests } from "./coredns-objects.ts";
import { killContainers } from "../containers.ts";
import type { LocalCluster } from "../handle.ts";
import { layoutIn, nodeName, type Native } from "./layout.ts";
import { clearCluster } from "./leftovers.ts";
import { startControlPlane } from "./control-plane.ts";
import { kubectl, kubectlUntil } from "./kubectl.ts";
import { startContainerd, startNode } from "./node.ts";
import { pauseImage } from "./node-config.ts";
import { claimNetwork, findRival, readNetworkOwner } from "./network-owner.ts";
import { makeNodeNetwork } from "./node-network.ts";
import { clusterPrograms, ensureCniPlugins } from "./system-programs.ts";
import { ensureStaticImage } from "./static-image.ts";

/**
 * Brings up a single-node cluster from the machine's own containerd; uses one that is up and well as it is. With Cilium
 * its NetworkPolicies are enforced.
 */
export async function nativeUp(progress: Progress, cilium?: Cilium): Promise<LocalCluster> {
  const layout = layoutIn();
  const kubernetes = await ensureKubernetes(progress);
  const native: Native = { layout, kubernetes };
  if (await isHealthy(native)) {
    progress("the local cluster is up already");
    return openNative(native, false);
  }
  await refuseRival(layout.state);
  const { cniPlugins, pause, coreDns } = await provideForNative(progress);

  progress("clearing what an earlier cluster left");
  await clearCluster(layout);
  await mkdir(layout.images, { recursive: true });
  progress("starting etcd and the API server");
  await makeNodeNetwork();
  await claimNetwork(layout.state);
  await startControlPlane(native);
  progress("starting containerd");
  if (cilium) await startContainerd(native, await pluginsWith(cilium, layout, cniPlugins), [ciliumChained]);
  else await startContainerd(native, cniPlugins, []);
  const cluster = openNative(native, true);
  await loadStatic(native, cluster, { name: pauseImage, program: pause });
  progress("starting the node");
  await startNode(native);
  if (cilium) await whileReporting(progress, "starting Cilium", () => startEnforcer(native, cilium));
  await loadStatic(native, cluster, { name: coreDnsImage, program: coreDns });
  await run(cluster.kubectl, ["--kubeconfig", layout.kubeconfig, "apply", "-f", "-"], { input: coreDnsManifests() });
  await kubectlUntil(native, "the node is Ready", ["wait", "--for=condition=Ready", `node/${nodeName}`]);
  progress("waiting for cluster DNS");
  await kubectlUntil(native, "DNS is ready", [
    "wait",
    "--for=condition=Available",
    "-n",
    "kube-system",
    "deploy/coredns",
  ]);
  progress("the local cluster is up");
  return cluster;
}

/** Programs that a native cluster runs besides Kubernetes' own, as paths; `cniPlugins` is a folder. */
interface Provisions {
  cniPlugins: string;
  pause: string;
  coreDns: string;
}

/** Finds, builds or installs all that a native cluster runs. */
export async function provideForNative(progress: Progress): Promise<Provisions> {
  await ensureKubernetes(progress);
  await ensureSystemPrograms(clusterPrograms, progress);
  const cniPlugins = await ensureCniPlugins(progress);
  return { cniPlugins, pause: await ensurePause(progress), coreDns: await ensureCoreDns(progress) };
}

/** Ends the native cluster and everything it left. */
export async function nativeDown(progress: Progress): Promise<void> {
  progress("taking the local cluster down");
  await clearCluster(layoutIn());
}

function openNative(native: Native, isNew: boolean): LocalCluster {
  const { layout, kubernetes } = native;
  const ctr = (...args: string[]): Promise<string> => run("ctr", ["--address", layout.containerdSocket, ...args]);
  const images = (...args: string[]): Promise<string> => ctr("--namespace", "k8s.io", "images", ...args);
  return {
    kind: "native",
    isNew,
    kubeconfig: layout.kubeconfig,
    kubectl: kubernetes.kubectl,
    hasImage: async (name) => (await images("list", "--quiet", `name==${name}`)).trim() === name,
    load: async (archive) => {
      await images("import", archive);
    },
    programs: ["etcd", "apiserver", "containerd", "kubelet"],
    kill: (program) => killBackground(layout, program),
    start: (program) => restartBackground(layout, program),
    killContainers: (container) => killContainers(ctr, container),
  };
}

async function refuseRival(state: string): Promise<void> {
  const rival = await findRival(state);
  if (rival === undefined) return;
  const cache = dirname(rival);
  throw new Error(
    `another local cluster is up, with its state in ${rival}; this machine has room for one. ` +
      `Take it down with RUNWRIGHT_CACHE=${cache} npm run cluster -- down, or use it with the same RUNWRIGHT_CACHE.`,
  );
}

async function isHealthy(native: Native): Promise<boolean> {
  const running = await readBackground(native.layout);
  const isWhole = expectedPrograms.every((name) => running.get(name) !== undefined);
  if (!isWhole || (await readNetworkOwner()) !== native.layout.state) return false;
  const checks = [
    ["wait", "--for=condition=Ready", `node/${nodeName}`],
    ["wait", "--for=condition=Available", "-n", "kube-system", "deploy/coredns"],
  ];
  const answers = await Promise.all(checks.map((check) => kubectl(native, check)));
  return answers.every(Boolean);
}

const expectedPrograms = [
  "etcd",
  "apiserver",
  "controller-manager",
  "scheduler",
  "containerd",
  "kubelet",
  "kube-proxy",
];

async function loadStatic(
  { layout }: Native,
  cluster: LocalCluster,
  image: { name: string; program: string },
): Promise<void> {
  const archive = join(layout.images, `${image.name.replace(/[^a-z0-9]+/g, "-")}.tar`);
  await ensureStaticImage(image, archive);
  await cluster.load(archive);
}
