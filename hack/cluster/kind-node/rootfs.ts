import { chmod, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { run } from "../../lib/command.ts";
import { whileReporting, type Progress } from "../../lib/progress.ts";
import { kind } from "../../toolchain/fetch/pins.ts";
import { ensureSystemPrograms } from "../../toolchain/system-programs.ts";
import { kubernetesVersion } from "../kubernetes/kubernetes.ts";
import { pauseImageOf, type SystemPrograms } from "./system-images.ts";

const suite = "bookworm";
/** What kind's own image has, as far as one node with containerd needs it. */
const packages = [
  ["systemd", "systemd-sysv", "dbus", "mount", "util-linux", "kmod", "procps", "hostname"],
  ["containerd", "runc", "containernetworking-plugins"],
  ["iproute2", "iptables", "nftables", "ebtables", "ethtool", "conntrack", "socat"],
  ["bash", "ca-certificates", "curl", "e2fsprogs", "jq", "pigz"],
].flat();
const unneeded = [
  "var/cache/apt",
  "var/lib/apt/lists",
  "var/log",
  "usr/share/doc",
  "usr/share/man",
  "usr/share/locale",
];

/** Makes a Debian with systemd and containerd in a folder. */
export async function makeDebian(root: string, progress: Progress): Promise<void> {
  await ensureSystemPrograms([{ program: "debootstrap", debianPackage: "debootstrap" }], progress);
  await whileReporting(progress, "making a Debian for kind's node", () =>
    run("debootstrap", ["--variant=minbase", `--include=${packages.join(",")}`, suite, root]),
  );
  for (const folder of unneeded) {
    await rm(join(root, folder), { recursive: true, force: true });
    await mkdir(join(root, folder));
  }
  for (const file of ["hostname", "resolv.conf"]) await rm(join(root, "etc", file), { force: true });
}

/** Turns that Debian into a node: kind's own files, Kubernetes' programs, and the files of the folder beside this one. */
export async function makeNode(root: string, { kube, kubeadm }: SystemPrograms): Promise<void> {
  await copyKindFiles(root);
  await cp(join(import.meta.dirname, "files"), root, { recursive: true });
  await cp(kube, join(root, "usr/bin/kube"));
  await cp(kubeadm, join(root, "usr/bin/kubeadm"));
  for (const name of ["kubelet", "kubectl"]) await symlink("kube", join(root, "usr/bin", name));
  // kind names them by these paths.
  for (const name of ["containerd", "ctr"]) await symlink(`/usr/bin/${name}`, join(root, "usr/local/bin", name));
  await mkdir(join(root, "opt/cni"), { recursive: true });
  await symlink("/usr/lib/cni", join(root, "opt/cni/bin"));
  await mkdir(join(root, "etc/kubernetes/manifests"), { recursive: true });
  await writeFile(join(root, "kind/version"), `v${kubernetesVersion}`);
  await change(join(root, "etc/containerd/config.toml"), [
    [/SystemdCgroup = true/g, "SystemdCgroup = false"],
    [/restrict_oom_score_adj = false/, "restrict_oom_score_adj = true"],
    [/sandbox_image = ".*"/, `sandbox_image = "${await pauseImageOf(kubeadm)}"`],
  ]);
  await change(join(root, "etc/default/kubelet"), [
    [/^KUBELET_EXTRA_ARGS=/m, "KUBELET_EXTRA_ARGS=--config-dir=/kind/kubelet.conf.d "],
  ]);
  await run("chroot", [root, "bash", "-euc", services]);
}

/** The files that kind lays over a Debian, from its Go module, which keeps no modes. */
async function copyKindFiles(root: string): Promise<void> {
  const described = await run("go", ["mod", "download", "-json", `sigs.k8s.io/kind@v${kind.version}`]);
  const { Dir } = JSON.parse(described) as { Dir: string };
  const files = join(Dir, "images", "base", "files");
  for (const folder of ["etc", "kind", "usr"]) {
    await run("cp", ["--recursive", "--no-preserve=mode", join(files, folder), root]);
  }
  for (const folder of ["usr/local/bin", "kind/bin"]) {
    for (const file of await readdir(join(root, folder))) await chmod(join(root, folder, file), 0o755);
  }
}

/** Services as kind's own image has them. */
const services = `
  find /lib/systemd/system/sysinit.target.wants/ -name systemd-tmpfiles-setup.service -delete
  cd /lib/systemd/system
  rm -f multi-user.target.wants/* local-fs.target.wants/* basic.target.wants/*
  rm -f sockets.target.wants/*udev* sockets.target.wants/*initctl* /etc/systemd/system/*.wants/*
  echo ReadKMsg=no >>/etc/systemd/journald.conf
  systemctl enable kubelet containerd undo-mount-hacks import-images open-volumes.service open-volumes.path
  systemctl mask systemd-binfmt
  ctr oci spec | jq '.hooks.createContainer[0] = {path: "/kind/bin/mount-product-files.sh"} | del(.process.rlimits)' \\
    >/etc/containerd/cri-base.json
`;

/** Replaces text in a file; throws where a pattern is not there. */
async function change(path: string, replacements: readonly (readonly [RegExp, string])[]): Promise<void> {
  let text = await readFile(path, "utf8");
  for (const [pattern, replacement] of replacements) {
    if (text.search(pattern) < 0) throw new Error(`${path} has nothing like ${String(pattern)}`);
    text = text.replace(pattern, replacement);
  }
  await writeFile(path, text);
}
