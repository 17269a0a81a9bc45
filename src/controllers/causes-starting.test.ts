import { describe, expect, it } from "vitest";
import type { Event } from "../kube/core-resources.ts";
import { saidOfPod, type TriedAgain } from "../../test/support/causes.ts";
import { askedAboutAt } from "./sandbox/observe/pod-events.ts";
import { podState } from "./sandbox/observe/pod-state.ts";

const creating = { waiting: { reason: "ContainerCreating" } };
const containers = (state: object, name = "agent"): object => ({
  phase: "Pending",
  containerStatuses: [{ name, image: "registry.example.com/sandbox:1", state }],
});

describe("a pod whose node says it in Events alone", () => {
  // kubelet: pkg/kubelet/volumemanager, kuberuntime/kuberuntime_sandbox.go; attach/detach controller; containerd and CRI-O.
  it.each<[string, string, string, string]>([
    [
      "a ConfigMap that is not there",
      "FailedMount",
      'MountVolume.SetUp failed for volume "late" : configmap "late" not found',
      "Create what the message names",
    ],
    [
      "a key that is not there",
      "FailedMount",
      'MountVolume.SetUp failed for volume "late" : references non-existent config key: a.json',
      "Create what the message names",
    ],
    [
      "a claim that another node has",
      "FailedAttachVolume",
      'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) other',
      "wait until it is detached",
    ],
    [
      "a driver that is not there",
      "FailedMount",
      'MountVolume.MountDevice failed for volume "pvc-1" : kubernetes.io/csi: driver name ebs.csi.aws.com not found in the list of registered CSI drivers',
      "check the volumes of the class",
    ],
    ["a block volume", "FailedMapVolume", 'MapVolume.SetUpDevice failed for volume "pvc-1"', "check the volumes"],
    [
      "the network plugin",
      "FailedCreatePodSandBox",
      'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "0a": plugin type="calico" failed (add): stat /var/lib/calico/nodename: no such file or directory',
      "Check the network plugin",
    ],
    [
      "no addresses left",
      "FailedCreatePodSandBox",
      'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "0a": plugin type="aws-cni" name="aws-cni" failed (add): add cmd: failed to assign an IP address to container',
      "Check the network plugin",
    ],
    [
      "a network that is not ready",
      "NetworkNotReady",
      "network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized",
      "Check the network plugin",
    ],
    [
      "a RuntimeClass's handler at containerd",
      "FailedCreatePodSandBox",
      'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "runsc" is configured',
      "runtimeClassName",
    ],
    [
      "a RuntimeClass's handler at CRI-O",
      "FailedCreatePodSandBox",
      "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to find runtime handler kata from runtime list",
      "runtimeClassName",
    ],
    [
      "users of its own on a node without them",
      "FailedCreatePodSandBox",
      'Failed to create pod sandbox: the handler "" is not known to support user namespaces',
      "hostUsers: true",
    ],
  ])("says within a minute that it waits for %s", (_, reason, note, step) => {
    const events = [{ metadata: {}, reason, note, eventTime: null }] as unknown as Event[];
    const got = saidOfPod(containers(creating), { afterMs: 50_000, events });
    expect(got).toMatchObject({ reason: "ContainerNotStarted", run: undefined, again: "waits" });
    expect(got.message).toContain(`${reason}: ${note}`);
    expect(got.message).toContain(step);
  });

  it("is asked about after 20 s, and then every 30 s", () => {
    const createTime = "2026-05-04T10:00:00.000Z";
    const pod = podState({ metadata: {}, ...{ status: containers(creating) } });
    const askedAt = (ms: number): number =>
      askedAboutAt(pod, createTime, new Date(Date.parse(createTime) + ms))! - Date.parse(createTime);
    expect([0, 19_999, 20_000, 50_000].map(askedAt)).toEqual([20_000, 20_000, 50_000, 80_000]);
  });

  it.each<[string, object, object, string]>([
    [
      "a node that does not begin",
      { phase: "Pending" },
      { nodeName: "node-7" },
      "node node-7 has not begun with the pod",
    ],
    [
      "an added init container that goes on",
      {
        ...containers({ waiting: { reason: "PodInitializing" } }),
        initContainerStatuses: [{ name: "fetch-policy", image: "p", started: false, state: { running: {} } }],
      },
      {},
      "the init container fetch-policy, which an admission webhook of the cluster added, has not ended yet",
    ],
  ])("says what is seen where there is no Event: %s", (_, status, spec, words) => {
    const got = saidOfPod(status, { afterMs: 50_000, spec, events: [] });
    expect(got).toMatchObject({ reason: "ContainerNotStarted", again: "waits" });
    expect(got.message).toContain(words);
  });

  it.each<[string, object, object]>([
    ["a pod that no node has", { phase: "Pending" }, {}],
    ["images that are pulled", containers(creating), { nodeName: "node-7" }],
    [
      "an added container that stays, and has started",
      {
        ...containers(creating),
        initContainerStatuses: [{ name: "proxy", image: "p", started: true, state: { running: {} } }],
      },
      {},
    ],
  ])("says nothing of %s", (_, status, spec) => {
    expect(saidOfPod(status, { afterMs: 50_000, spec, events: [] })).toMatchObject({ reason: "Starting" });
  });
});

describe("an image", () => {
  const pulling = "failed to pull and unpack image";
  const rpc = "rpc error: code = Unknown desc =";
  // containerd: core/remotes/docker; CRI-O: containers/image; kubelet: pkg/kubelet/images.
  it.each<[string, string, string, TriedAgain, string]>([
    [
      "that is not there, at containerd",
      "ErrImagePull",
      `rpc error: code = NotFound desc = ${pulling} "docker.io/acme/no:1": failed to resolve reference "docker.io/acme/no:1": docker.io/acme/no:1: not found`,
      "never",
      "Check image and imagePullSecrets",
    ],
    [
      "that is not there, at CRI-O",
      "ErrImagePull",
      "initializing source docker://registry.example.com/no:1: reading manifest 1 in registry.example.com/no: manifest unknown",
      "never",
      "Check image and imagePullSecrets",
    ],
    [
      "that is not there, while the node waits to try again",
      "ImagePullBackOff",
      'Back-off pulling image "acme/no:1": ErrImagePull: rpc error: code = NotFound desc = docker.io/acme/no:1: not found',
      "never",
      "Check image and imagePullSecrets",
    ],
    [
      "of a repository that is private",
      "ErrImagePull",
      `${rpc} pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
      "never",
      "imagePullSecrets",
    ],
    [
      "whose credentials are wrong",
      "ErrImagePull",
      `${rpc} ${pulling} "r/x:1": unexpected status from HEAD request to https://r/v2/x/manifests/1: 401 Unauthorized`,
      "never",
      "imagePullSecrets",
    ],
    [
      "whose name is none",
      "InvalidImageName",
      'Failed to apply default image tag "Sandbox:1": couldn\'t parse image name "Sandbox:1": invalid reference format: repository name must be lowercase',
      "never",
      "Check image",
    ],
    [
      "that is never pulled",
      "ErrImageNeverPull",
      'Container image "sandbox:1" is not present with pull policy of Never',
      "never",
      "another imagePullPolicy",
    ],
    [
      "for another processor",
      "ErrImagePull",
      `${rpc} ${pulling} "r/x:1": no match for platform in manifest sha256:0a: not found`,
      "never",
      "kubernetes.io/arch",
    ],
    [
      "of a registry that limits pulls",
      "ErrImagePull",
      `${rpc} ${pulling} "r/x:1": 429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit`,
      "waits",
      "The registry limits pulls",
    ],
    [
      "of a registry without a name in DNS",
      "ErrImagePull",
      `${rpc} ${pulling} "r/x:1": dial tcp: lookup r on 10.0.0.2:53: no such host`,
      "waits",
      "Check that nodes reach the registry",
    ],
    [
      "of a registry whose certificate is unknown",
      "ErrImagePull",
      `${rpc} ${pulling} "r/x:1": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      "waits",
      "trust the registry's certificate authority",
    ],
    [
      "that the node's disk has no room for",
      "ErrImagePull",
      `${rpc} ${pulling} "r/x:1": write /var/lib/containerd/x: no space left on device`,
      "waits",
      "Free the node's disk",
    ],
    [
      "without a signature",
      "SignatureValidationFailed",
      "Source image rejected: A signature was required",
      "waits",
      "Sign",
    ],
    ["of a registry that is away", "RegistryUnavailable", "registry is unavailable: 503", "waits", "Check image"],
  ])("%s", (_, reason, message, again, step) => {
    const got = saidOfPod(containers({ waiting: { reason, message } }));
    expect(got).toMatchObject({ reason: "ImagePullFailed", again });
    expect(got.message).toContain(`image registry.example.com/sandbox:1: ${reason}: ${message}`);
    expect(got.message).toContain(step);
    expect(got.run).toBe(again === "never" ? `ImagePullFailed: ${got.message}` : undefined);
  });
});

describe("a container that does not start", () => {
  const launcher = "/usr/local/bin/runwright-sandbox";
  const runc =
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed:";
  const asTerminated = (reason: string, message: string): object => ({
    ...containers({ terminated: { exitCode: 128, reason, message } }),
    phase: "Failed",
  });
  const asWaiting = (reason: string, message: string): object => containers({ waiting: { reason, message } });

  it.each<[string, object, string, TriedAgain, string]>([
    [
      "without our program, at containerd",
      asTerminated("StartError", `${runc} exec: "${launcher}": stat ${launcher}: no such file or directory`),
      "ImageUnusable",
      "never",
      `has no ${launcher}, the program of every sandbox. Make the image FROM the sandbox image`,
    ],
    [
      "without our program, at CRI-O",
      asWaiting("CreateContainerError", `container create failed: executable file \`${launcher}\` not found`),
      "ImageUnusable",
      "never",
      "Make the image FROM the sandbox image",
    ],
    [
      "whose program may not be run",
      asTerminated("StartError", `${runc} exec: "${launcher}": permission denied`),
      "ImageUnusable",
      "never",
      "that its user may not run",
    ],
    [
      "in a memory limit that is too low",
      asTerminated("StartError", `${runc} container init was OOM-killed (memory limit too low?)`),
      "PodRejected",
      "never",
      "Raise the memory limit",
    ],
    [
      "on a node of another processor",
      asTerminated("StartError", `exec ${launcher}: exec format error`),
      "SandboxLost",
      "another sandbox",
      "kubernetes.io/arch",
    ],
    [
      "for a cause of the node",
      asTerminated("StartError", `${runc} unable to apply cgroup configuration: mkdir: no space left on device`),
      "SandboxLost",
      "another sandbox",
      "Free the node's disk",
    ],
    [
      "as the runtime is slow",
      asWaiting("CreateContainerError", "context deadline exceeded"),
      "ContainerNotStarted",
      "waits",
      "the agent's container could not be started: context deadline exceeded",
    ],
    [
      "for a ConfigMap of its environment",
      asWaiting("CreateContainerConfigError", 'configmap "settings" not found'),
      "PodRejected",
      "never",
      "Create what the message names",
    ],
    [
      "as the kubelet's cache is behind",
      asWaiting("CreateContainerConfigError", "failed to sync configmap cache: timed out waiting for the condition"),
      "ContainerNotStarted",
      "waits",
      "failed to sync configmap cache",
    ],
  ])("%s", (_, status, reason, again, words) => {
    const got = saidOfPod(status);
    expect(got).toMatchObject({ reason, again });
    expect(got.message).toContain(words);
    expect(got.run).toBe(again === "never" ? `${reason}: ${got.message}` : undefined);
  });
});
