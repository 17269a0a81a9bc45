import { cp, mkdir, symlink } from "node:fs/promises";
import { basename, join } from "node:path";

import { run } from "../../lib/command.ts";
import { kubernetesVersion } from "../kubernetes/kubernetes.ts";
import { writeImageArchive } from "../image-archive.ts";

/** Programs that the images of a control plane are made of. */
export interface SystemPrograms {
  kube: string;
  coreDns: string;
  pause: string;
  kubeadm: string;
}

const components = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"];
/** Of Debian: what kube-proxy runs (nft, iptables, conntrack), with libraries. */
const forProxy = "sbin lib lib64 usr/sbin usr/lib64 usr/lib/*-linux-gnu etc/alternatives etc/protocols etc/services";

/** Writes the images that kubeadm asks for into a folder, as docker archives; `work` is an empty folder. */
export async function writeSystemImages(
  programs: SystemPrograms,
  { debian, work, folder }: { debian: string; work: string; folder: string },
): Promise<void> {
  const wanted = await imagesOf(programs.kubeadm);
  const named = (ending: string): string[] => wanted.filter((name) => name.split(":")[0]?.endsWith(ending) === true);
  const root = join(work, "kube");
  await mkdir(join(root, "usr/local/bin"), { recursive: true });
  await run("sh", ["-c", `cp --archive --parents ${forProxy} "$1"`, "sh", root], { cwd: debian });
  await cp(programs.kube, join(root, "usr/local/bin/kube"));
  for (const name of components) await symlink("kube", join(root, "usr/local/bin", name));
  const path = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const names = components.flatMap((name) => named(`/${name}`));
  const kube = { names, root, members: ["."], config: { Env: [`PATH=${path}`] } };
  await writeImageArchive(kube, join(folder, "kube.tar"));
  for (const [program, name] of [
    [programs.coreDns, "/coredns"],
    [programs.pause, "/pause"],
  ] as const) {
    const file = basename(program);
    const own = join(work, file);
    await mkdir(own);
    await cp(program, join(own, file));
    const image = { names: named(name), root: own, members: [file], config: { Entrypoint: [`/${file}`] } };
    await writeImageArchive(image, join(folder, `${file}.tar`));
  }
}

/** Name of the image that holds a pod's namespaces, as kubeadm has it. */
export async function pauseImageOf(kubeadm: string): Promise<string> {
  const found = (await imagesOf(kubeadm)).find((name) => name.includes("/pause:"));
  if (found === undefined) throw new Error("kubeadm names no image of pause");
  return found;
}

async function imagesOf(kubeadm: string): Promise<string[]> {
  const list = await run(kubeadm, ["config", "images", "list", `--kubernetes-version=v${kubernetesVersion}`]);
  return list.split("\n").filter(Boolean);
}
