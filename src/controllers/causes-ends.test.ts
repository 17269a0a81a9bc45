import { describe, expect, it } from "vitest";
import { saidOfPod, type TriedAgain } from "../../test/support/causes.ts";

type End = [name: string, status: object, reason: string, again: TriedAgain, words: string, step: string];

const ended = (state: object, name = "runtime"): object => ({
  phase: "Failed",
  containerStatuses: [{ name, image: "sandbox:1", state: { terminated: { exitCode: 1, reason: "Error", ...state } } }],
});
const bySelf = (reason: string, message: string): object => ({ phase: "Failed", reason, message });

describe("a pod that ends before its sandbox is ready says why at once", () => {
  // kubelet: pkg/kubelet/eviction/helpers.go, pkg/kubelet/lifecycle/predicate.go, nodeshutdown; container runtimes.
  it.each<End>([
    [
      "a full volume",
      bySelf("Evicted", 'Usage of EmptyDir volume "workspace" exceeds the limit "10Gi". '),
      "OutOfStorage",
      "never",
      'EmptyDir volume "workspace" exceeds the limit "10Gi"',
      "It is the class's workspaceSizeLimit",
    ],
    [
      "a volume of its class that is full",
      bySelf("Evicted", 'Usage of EmptyDir volume "cache" exceeds the limit "1Gi". '),
      "OutOfStorage",
      "never",
      'EmptyDir volume "cache" exceeds the limit "1Gi"',
      "Write less",
    ],
    [
      "a container that fills the disk",
      bySelf("Evicted", 'Container agent exceeded its local ephemeral storage limit "1Gi". '),
      "OutOfStorage",
      "never",
      'exceeded its local ephemeral storage limit "1Gi"',
      "resources.limits.ephemeral-storage",
    ],
    [
      "a pod that fills the disk",
      bySelf("Evicted", "Pod ephemeral local storage usage exceeds the total limit of containers 41Gi. "),
      "OutOfStorage",
      "never",
      "exceeds the total limit of containers 41Gi",
      "workspaceSizeLimit",
    ],
    [
      "a node without memory",
      bySelf("Evicted", "The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi."),
      "SandboxLost",
      "another sandbox",
      "The node was low on resource: memory",
      "Raise resources.requests",
    ],
    [
      "a node that filled meanwhile",
      bySelf("OutOfcpu", "Node didn't have enough resource: cpu"),
      "SandboxLost",
      "another sandbox",
      "OutOfcpu",
      "events",
    ],
    [
      "a node that goes",
      bySelf("Terminated", "Pod was terminated in response to imminent node shutdown."),
      "SandboxLost",
      "another sandbox",
      "imminent node shutdown",
      "events",
    ],
    [
      "a device that failed",
      bySelf("UnexpectedAdmissionError", "Allocate failed due to no healthy devices present"),
      "SandboxLost",
      "another sandbox",
      "no healthy devices",
      "events",
    ],
    [
      "a profile that nodes lack",
      bySelf("AppArmor", 'Cannot enforce AppArmor: profile "sandbox" is not loaded'),
      "PodRejected",
      "never",
      "Cannot enforce AppArmor",
      "Check quota and Pod Security",
    ],
    [
      "a sysctl that nodes forbid",
      bySelf("SysctlForbidden", 'forbidden sysctl: "net.x" not allowlisted'),
      "PodRejected",
      "never",
      "forbidden sysctl",
      "Check",
    ],
    [
      "another operating system",
      bySelf("PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"),
      "PodRejected",
      "never",
      "OS field",
      "Check",
    ],
    [
      "preemption",
      {
        phase: "Failed",
        conditions: [
          {
            type: "DisruptionTarget",
            status: "True",
            reason: "PreemptionByScheduler",
            message: "preempted by pod 0a on node n",
          },
        ],
      },
      "SandboxLost",
      "another sandbox",
      "PreemptionByScheduler: preempted by pod 0a",
      "priorityClassName",
    ],
    [
      "the agent's memory",
      ended({ exitCode: 137, reason: "OOMKilled" }, "agent"),
      "OutOfMemory",
      "another sandbox",
      "the agent's container ran out of memory",
      "Raise resources.limits.memory of the SandboxClass",
    ],
    [
      "the runtime's memory",
      ended({ exitCode: 137, reason: "OOMKilled" }),
      "OutOfMemory",
      "another sandbox",
      "the runtime's container ran out of memory",
      "Raise runtimeResources.limits.memory of the SandboxClass",
    ],
    [
      "what the runtime logged last",
      ended({
        message:
          '{"level":"info","message":"Started"}\n{"level":"warn","message":"Stopped by an error","reason":"RUNWRIGHT_GATEWAY_URL is missing"}\n',
      }),
      "SandboxLost",
      "another sandbox",
      "exited with 1: Stopped by an error: RUNWRIGHT_GATEWAY_URL is missing",
      "events",
    ],
    [
      "an image whose init was taken out",
      ended({ exitCode: 127, message: "/usr/local/bin/runwright-sandbox: 6: exec: tini: not found\n" }),
      "SandboxLost",
      "another sandbox",
      "exited with 127: /usr/local/bin/runwright-sandbox: 6: exec: tini: not found",
      "events",
    ],
    [
      "another processor, in the container's log",
      ended({ exitCode: 255, message: "exec /usr/local/bin/runwright-sandbox: exec format error" }),
      "SandboxLost",
      "another sandbox",
      "exec format error",
      "kubernetes.io/arch",
    ],
    [
      "what the agent's container said before any agent ran",
      ended({ message: '{"message":"Stopped by an error","reason":"EACCES"}' }, "agent"),
      "SandboxLost",
      "another sandbox",
      "The agent's container said: Stopped by an error: EACCES",
      "events",
    ],
    [
      "an added init container that failed",
      {
        phase: "Failed",
        initContainerStatuses: [
          {
            name: "istio-init",
            image: "p",
            state: { terminated: { exitCode: 255, message: "iptables: Permission denied" } },
          },
        ],
      },
      "SandboxLost",
      "another sandbox",
      "init container istio-init, which an admission webhook of the cluster added, exited with 255: iptables: Permission denied",
      "Ask who runs that webhook",
    ],
  ])("%s", (_, status, reason, again, words, step) => {
    const got = saidOfPod(status);
    expect(got).toMatchObject({ reason, again });
    expect(got.message).toContain(words);
    expect(got.message).toContain(step);
    expect(got.run).toBe(again === "never" ? `${reason}: ${got.message}` : undefined);
  });

  it("keeps a full volume of ours apart from one that the class does not size", () => {
    const { message } = saidOfPod(bySelf("Evicted", 'Usage of EmptyDir volume "socket" exceeds the limit "1Mi". '));
    expect(message).not.toContain("It is the class's workspaceSizeLimit");
  });

  it("does not show what the agent's container says once its programs may have written it", () => {
    const status = ended({ message: '{"message":"password","reason":"s3cret"}' }, "agent");
    const { message } = saidOfPod(status, { lease: { isReady: false } });
    expect(message).toContain("the agent's container exited with 1");
    expect(message).not.toContain("s3cret");
  });

  it.each([
    "SyntaxError: Unexpected token 's', \"s3cret\" is not valid JSON",
    '"s3cret"',
    '{"said":"s3cret"}',
    "s3cret",
    "",
  ])("does not show what is no line of ours: %s", (message) => {
    expect(saidOfPod(ended({ message })).message).not.toContain("s3cret");
  });

  it.each([
    [299, 299],
    [300, 300],
    [301, 300],
  ])("shows at most 300 characters of a line: %i", (length, want) => {
    const { message } = saidOfPod(ended({ message: JSON.stringify({ message: "y".repeat(length) }) }));
    expect(/y{9,}/.exec(message)?.[0]).toHaveLength(want);
  });

  it("blames the container that took the other with it", () => {
    const terminated = (name: string, finishedAt: string, more: object): object => ({
      name,
      image: "sandbox:1",
      state: { terminated: { exitCode: 1, finishedAt, ...more } },
    });
    const [early, late] = ["2026-05-04T10:00:01Z", "2026-05-04T10:00:02Z"];
    const first = [terminated("agent", late, {}), terminated("runtime", early, { exitCode: 7 })];
    expect(saidOfPod({ containerStatuses: first }).message).toContain("the runtime's container exited with 7");
    const memory = [terminated("agent", early, {}), terminated("runtime", late, { reason: "OOMKilled" })];
    expect(saidOfPod({ containerStatuses: memory }).reason).toBe("OutOfMemory");
  });
});

describe("what ends a sandbox in which a prompt is processed fails the prompt, as its work is lost with it", () => {
  const containerStatuses = ["runtime", "agent"].map((name) => ({ name, image: "sandbox:1", state: { running: {} } }));
  const evicted = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", message: "evicting" };

  it.each<[string, object, { afterMs?: number; isSilent?: boolean }, string, string]>([
    ["the agent's memory", ended({ reason: "OOMKilled" }, "agent"), {}, "OutOfMemory", "Raise resources.limits.memory"],
    [
      "a full disk",
      bySelf("Evicted", 'Usage of EmptyDir volume "tmp" exceeds the limit "10Gi".'),
      {},
      "OutOfStorage",
      "write less",
    ],
    ["a drain", { phase: "Failed", conditions: [evicted] }, {}, "SandboxLost", "EvictionByEvictionAPI: evicting"],
    ["a node without memory", bySelf("Evicted", "The node was low on resource: memory."), {}, "SandboxLost", "Raise"],
    [
      "what the runtime logged last",
      ended({ message: '{"message":"Stopped by an error","code":"ECONNRESET"}' }),
      {},
      "SandboxLost",
      "Stopped by an error: ECONNRESET",
    ],
    ["silence", { containerStatuses }, { isSilent: true }, "HeartbeatLost", "no heartbeat for more than 90 seconds"],
    [
      "its budget",
      { containerStatuses },
      { afterMs: 7_200_000 },
      "ExecutionTimeout",
      "was not done within its 7200000 ms",
    ],
  ])("%s", (_, status, context, reason, words) => {
    const got = saidOfPod(status, { isAtWork: true, lease: { isReady: true }, ...context });
    expect(got.again).toBe("never");
    expect(got.run).toContain(`${reason}: `);
    expect(got.run).toContain(words);
  });
});

const running = (name: string): object => ({ name, image: "sandbox:1", state: { running: {} } });
const proxy = (state: object): object => ({ name: "istio-proxy", image: "proxyv2:1", state });

describe("a container that an admission webhook added", () => {
  it.each([
    ["has ended", { terminated: { exitCode: 1 } }],
    ["has ended well", { terminated: { exitCode: 0 } }],
    ["ran out of memory", { terminated: { exitCode: 137, reason: "OOMKilled" } }],
    ["has no image", { waiting: { reason: "ErrImagePull", message: "proxyv2:1: not found" } }],
    ["is not begun", { waiting: { reason: "InvalidImageName", message: "bad" } }],
  ])("does not end the sandbox when it %s", (_, state) => {
    const got = saidOfPod({
      phase: "Running",
      containerStatuses: [running("runtime"), running("agent"), proxy(state)],
    });
    expect(got).toMatchObject({ reason: "Connecting", again: "waits", run: undefined });
  });

  it.each<[string, object, string]>([
    [
      "waits",
      { waiting: { reason: "ImagePullBackOff", message: "Back-off pulling image" } },
      "container istio-proxy, which an admission webhook of the cluster added, waits: ImagePullBackOff: Back-off pulling image. Ask who runs",
    ],
    [
      "ended",
      { terminated: { exitCode: 1 } },
      "container istio-proxy, which an admission webhook of the cluster added, exited with 1. Ask who runs",
    ],
  ])("is named where it %s and the runtime does not connect", (_, state, words) => {
    const containerStatuses = [running("runtime"), running("agent"), proxy(state)];
    const status = { phase: "Running", containerStatuses };
    expect(saidOfPod(status, { afterMs: 240_000, startedMs: 0 })).toMatchObject({
      reason: "ConnectTimeout",
      again: "another sandbox",
      message: expect.stringContaining(words) as string,
    });
  });

  it.each<[string, object, string, TriedAgain, string]>([
    [
      "that is tried again and again",
      {
        state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s restarting failed container" } },
        lastState: { terminated: { exitCode: 2 } },
      },
      "ContainerNotStarted",
      "waits",
      "waits: CrashLoopBackOff: back-off 40s restarting failed container; it exited with 2 before. Ask who runs",
    ],
    [
      "whose image is not there",
      { state: { waiting: { reason: "ErrImagePull", message: "linkerd/proxy:9: not found" } } },
      "ImagePullFailed",
      "never",
      "image linkerd/proxy:9: the init container linkerd-proxy, which an admission webhook of the cluster added, waits",
    ],
    [
      "whose registry is away",
      { state: { waiting: { reason: "ErrImagePull", message: "dial tcp: i/o timeout" } } },
      "ImagePullFailed",
      "waits",
      "Ask who runs that webhook",
    ],
  ])("before ours is named: one %s", (_, container, reason, again, words) => {
    const initContainerStatuses = [{ name: "linkerd-proxy", image: "linkerd/proxy:9", ...container }];
    const containerStatuses = [
      { name: "runtime", image: "sandbox:1", state: { waiting: { reason: "PodInitializing" } } },
    ];
    const got = saidOfPod({ phase: "Pending", initContainerStatuses, containerStatuses });
    expect(got).toMatchObject({ reason, again });
    expect(got.message).toContain(words);
  });
});
