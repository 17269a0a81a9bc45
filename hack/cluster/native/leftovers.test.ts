import { describe, expect, it } from "vitest";

import { isOfCluster, mountsBelow } from "./leftovers.ts";

describe("mountsBelow", () => {
  const mounts = [
    "/dev/vda / ext4 rw 0 0",
    "tmpfs /state/kubelet/pods/1/volumes/token tmpfs rw 0 0",
    "overlay /state/containerd/state/rootfs overlay rw 0 0",
    "proc /state/containerd/state/rootfs/proc proc rw 0 0",
    "tmpfs /state-of-others/x tmpfs rw 0 0",
    "tmpfs /state/with\\040space tmpfs rw 0 0",
    "",
  ].join("\n");

  it("gives those below the folder, the last mounted first", () => {
    expect(mountsBelow(mounts, "/state")).toEqual([
      "/state/with space",
      "/state/containerd/state/rootfs/proc",
      "/state/containerd/state/rootfs",
      "/state/kubelet/pods/1/volumes/token",
    ]);
  });

  it("gives none for a folder without any", () => {
    expect(mountsBelow(mounts, "/elsewhere")).toEqual([]);
  });
});

describe("isOfCluster", () => {
  const layout = { state: "/cache/cluster", containerdSocket: "/cache/cluster/containerd.sock" };
  const id = "6811fee31eec";

  it.each([
    {
      name: "a program with its data below the folder",
      command: ["/cache/kubernetes/etcd", "--data-dir=/cache/cluster/etcd"],
      want: true,
    },
    {
      name: "the same program of another user",
      command: ["/usr/bin/etcd", "--data-dir=/var/lib/etcd"],
      want: false,
    },
    {
      name: "the same program of a folder whose name begins alike",
      command: ["/usr/bin/etcd", "--data-dir=/cache/cluster-2/etcd"],
      want: false,
    },
    {
      name: "a person's kubectl",
      command: ["kubectl", "--kubeconfig", "/cache/cluster/kubeconfig", "get", "pods"],
      want: false,
    },
    {
      name: "a shim of our containerd",
      command: ["/usr/bin/containerd-shim-runc-v2", "-address", "/cache/cluster/containerd.sock"],
      want: true,
    },
    {
      name: "a shim of the machine's containerd",
      command: ["/usr/bin/containerd-shim-runc-v2", "-address", "/run/containerd/containerd.sock"],
      want: false,
    },
    { name: "a process in a container of ours", command: ["/pause"], cgroup: `1:cpu:/kubepods/pod1/${id}`, want: true },
    { name: "a process in another container", command: ["/pause"], cgroup: "1:cpu:/kubepods/pod1/abc", want: false },
  ])("$name: $want", ({ command, cgroup = "1:cpu:/", want }) => {
    expect(isOfCluster({ commandLine: `${command.join("\0")}\0`, cgroup }, layout, [id])).toBe(want);
  });
});
