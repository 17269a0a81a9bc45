import { describe, expect, it } from "vitest";
import type { Pod } from "../../../kube/core-resources.ts";
import { podState } from "./pod-state.ts";

function aPod(status: object, metadata: object = {}): Pod {
  return { metadata: { name: "p", ...metadata }, status };
}

function runtime(state: object): object {
  return {
    containerStatuses: [
      { name: "agent", image: "i", state: {} },
      { name: "runtime", image: "i", state },
    ],
  };
}

it.each([
  ["a pod without a status", {}, { isStarted: false }],
  [
    "a container being made",
    runtime({ waiting: { reason: "ContainerCreating" } }),
    { isStarted: false, waiting: undefined },
  ],
  ["a running runtime", runtime({ running: {} }), { isStarted: true, ended: undefined }],
  [
    "a running agent whose runtime still waits",
    {
      containerStatuses: [
        { name: "agent", state: { running: {} } },
        { name: "runtime", state: { waiting: {} } },
      ],
    },
    { isStarted: false },
  ],
])("judges %s", (_name, status, want) => expect(podState(aPod(status))).toMatchObject(want));

it("sees that deletion has begun", () => {
  expect(podState(aPod({}, { deletionTimestamp: "2026-05-04T10:00:00Z" })).isTerminating).toBe(true);
});

const checkEvents = "Check the pod's and the node's events.";
const evicted = {
  type: "DisruptionTarget",
  reason: "EvictionByEvictionAPI",
  message: "Eviction API: evicting",
  lastTransitionTime: "2026-05-04T10:00:00Z",
};

it.each([
  ["True", "EvictionByEvictionAPI: Eviction API: evicting"],
  ["False", undefined],
])("reads why the pod is taken away from DisruptionTarget=%s", (status, want) => {
  expect(podState(aPod({ conditions: [{ ...evicted, status }] })).disruption).toBe(want);
});

it.each([
  [{}, "SandboxLost", `the pod was ended: EvictionByEvictionAPI: Eviction API: evicting. ${checkEvents}`],
  [
    { reason: "Evicted", message: "disk pressure" },
    "SandboxLost",
    `the pod ended by itself: Evicted: disk pressure. ${checkEvents}`,
  ],
  [
    { reason: "Evicted", message: 'Usage of EmptyDir volume "home" exceeds the limit "1Gi".' },
    "OutOfStorage",
    'the pod ended by itself: Evicted: Usage of EmptyDir volume "home" exceeds the limit "1Gi". It is the class\'s workspaceSizeLimit: write less, or raise it.',
  ],
])("says of a pod that was ended on purpose who did it, unless the kubelet says more: %j", (said, reason, message) => {
  const status = { phase: "Failed", conditions: [{ ...evicted, status: "True" }], ...said };
  expect(podState(aPod(status)).ended).toEqual({ reason, message });
});

it.each([
  ["ErrImagePull", "dial tcp: i/o timeout", "ImagePullFailed", false],
  ["ImagePullBackOff", "Back-off pulling image", "ImagePullFailed", false],
  ["ErrImagePull", "registry/x:1: not found", "ImagePullFailed", true],
  ["ImagePullBackOff", "ErrImagePull: pull access denied", "ImagePullFailed", true],
  ["ErrImagePull", "401 Unauthorized", "ImagePullFailed", true],
  ["InvalidImageName", "couldn't parse image name", "ImagePullFailed", true],
  ["ErrImageNeverPull", "not present with pull policy of Never", "ImagePullFailed", true],
  ["CreateContainerConfigError", "secret not found", "PodRejected", true],
])("reads the kubelet's %s (%s) as %s, hopeless: %s", (cause, message, reason, isHopeless) => {
  const state = podState(aPod(runtime({ waiting: { reason: cause, message } })));
  expect(state.waiting).toMatchObject({ reason, isHopeless });
  expect(state.waiting!.message).toContain(message);
});

describe("a container that the node cannot start", () => {
  const launcher = "/usr/local/bin/runwright-sandbox";
  const containerd = `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "${launcher}": stat ${launcher}: no such file or directory`;
  const crio = `container create failed: executable file \`${launcher}\` not found: No such file or directory`;
  const forbidden = `exec: "${launcher}": permission denied`;
  const remedy = "Make the image FROM the sandbox image of this release, and keep what that has.";
  const lacking = `image i has no ${launcher}, the program of every sandbox. ${remedy}`;

  it.each([
    ["StartError", containerd, "ImageUnusable", lacking],
    ["ContainerCannotRun", containerd, "ImageUnusable", lacking],
    ["StartError", forbidden, "ImageUnusable", `image i has a ${launcher} that its user may not run. ${remedy}`],
    [
      "StartError",
      "cgroup: no space",
      "SandboxLost",
      `the runtime's container could not be started: cgroup: no space. ${checkEvents}`,
    ],
    [
      "StartError",
      `exec ${launcher}: exec format error`,
      "SandboxLost",
      `the runtime's container could not be started: exec ${launcher}: exec format error. Build the image for the node's architecture, or set nodeSelector kubernetes.io/arch of the SandboxClass.`,
    ],
    [
      "StartError",
      "/etc/nsswitch.conf: no such file or directory",
      "SandboxLost",
      `the runtime's container could not be started: /etc/nsswitch.conf: no such file or directory. ${checkEvents}`,
    ],
    [
      "StartError",
      undefined,
      "SandboxLost",
      `the runtime's container could not be started: StartError. ${checkEvents}`,
    ],
    [
      "Error",
      "no such file",
      "SandboxLost",
      `the pod ended by itself: the runtime's container exited with 128. ${checkEvents}`,
    ],
  ])("ends as %s with %j: %s", (reason, message, want, said) => {
    const { ended, waiting } = podState(
      aPod({ phase: "Failed", ...runtime({ terminated: { exitCode: 128, reason, message } }) }),
    );
    expect(ended).toEqual({ reason: want, message: said });
    expect(waiting).toBeUndefined();
  });

  it.each([
    ["CreateContainerError", crio, "ImageUnusable", true],
    ["RunContainerError", containerd, "ImageUnusable", true],
    ["CreateContainerError", "context deadline exceeded", "ContainerNotStarted", false],
  ])("waits as %s with %j: %s, hopeless: %s", (reason, message, want, isHopeless) => {
    const { waiting, ended } = podState(aPod(runtime({ waiting: { reason, message } })));
    expect(waiting).toMatchObject({ reason: want, isHopeless });
    expect(ended).toBeUndefined();
  });
});

it("shows what the scheduler misses", () => {
  const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes" }];
  expect(podState(aPod({ conditions })).waiting).toEqual({
    reason: "Unschedulable",
    message: "0/3 nodes. Check the class's requests, node selector and free nodes.",
    isHopeless: false,
  });
});

it.each([
  ["an eviction", { phase: "Failed", reason: "Evicted", message: "disk pressure" }, "SandboxLost"],
  ["the backstop", { phase: "Failed", reason: "DeadlineExceeded" }, "SandboxLifetimeEnded"],
  ["a runtime that exits", { phase: "Running", ...runtime({ terminated: { exitCode: 0 } }) }, "SandboxLost"],
  [
    "an agent without memory, the runtime alive",
    {
      phase: "Running",
      containerStatuses: [
        { name: "agent", state: { terminated: { exitCode: 137, reason: "OOMKilled" } } },
        { name: "runtime", state: { running: {} } },
      ],
    },
    "OutOfMemory",
  ],
  [
    "an agent's container that exits",
    {
      containerStatuses: [
        { name: "agent", state: { terminated: { exitCode: 1 } } },
        { name: "runtime", state: { running: {} } },
      ],
    },
    "SandboxLost",
  ],
  ["a runtime without memory", runtime({ terminated: { exitCode: 137, reason: "OOMKilled" } }), "OutOfMemory"],
])("sees the end by %s", (_name, status, reason) => {
  expect(podState(aPod(status)).ended).toMatchObject({ reason });
});

it("bounds what a kubelet may say", () => {
  const state = podState(aPod(runtime({ waiting: { reason: "ErrImagePull", message: "x\n".repeat(2_000) } })));
  const remedy = ". Check image and imagePullSecrets of the class.";
  expect(state.waiting!.message).toHaveLength(512 + remedy.length);
  expect(state.waiting!.message).not.toContain("\n");
});
