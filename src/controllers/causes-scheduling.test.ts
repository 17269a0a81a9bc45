import { describe, expect, it } from "vitest";
import { saidOfPod, saidOfRefusal, type TriedAgain } from "../../test/support/causes.ts";

/** A pod that the scheduler, or who holds pods back, leaves without a node: `[said, next step]`. */
describe("a pod without a node waits, and says why at once", () => {
  const none = "preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.";
  // The texts are those of kube-scheduler's plugins: framework/plugins/*/, framework/types.go.
  it.each<[string, string, string]>([
    ["resources", `0/3 nodes are available: 3 Insufficient memory. ${none}`, "Lower the resources of the SandboxClass"],
    [
      "a device",
      `0/3 nodes are available: 3 Insufficient nvidia.com/gpu. ${none}`,
      "Lower the resources of the SandboxClass",
    ],
    ["places for pods", `0/3 nodes are available: 3 Too many pods. ${none}`, "another node"],
    ["taints", "0/3 nodes are available: 3 node(s) had untolerated taint {spot: true}.", "Set tolerations"],
    ["selector", "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.", "Set nodeSelector"],
    [
      "spreading",
      "0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints.",
      "topologySpreadConstraints",
    ],
    ["a claim", '0/3 nodes are available: persistentvolumeclaim "cache" not found.', "Check the volumes"],
    [
      "an unbound claim",
      "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
      "Check the volumes",
    ],
    ["a zone", "0/3 nodes are available: 3 node(s) had volume node affinity conflict.", "Check the volumes"],
    ["other words", "0/3 nodes are available: 3 node(s) were unschedulable.", "Check the class's requests"],
  ])("%s", (_, words, step) => {
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: words }];
    const { message, ...rest } = saidOfPod({ phase: "Pending", conditions });
    expect(rest).toEqual({ reason: "Unschedulable", run: undefined, again: "waits" });
    expect(message).toContain(words.replace(/\.$/, ""));
    expect(message).toContain(step);
  });

  it("a gate of a job queue, by its name", () => {
    const words = "Scheduling is blocked due to non-empty scheduling gates";
    const conditions = [{ type: "PodScheduled", status: "False", reason: "SchedulingGated", message: words }];
    const spec = { schedulingGates: [{ name: "kueue.x-k8s.io/admission" }] };
    expect(saidOfPod({ conditions }, { spec })).toMatchObject({
      reason: "Unschedulable",
      again: "waits",
      message: `SchedulingGated: ${words} (kueue.x-k8s.io/admission). Ask the owner of the scheduling gate, such as the operator of the job queue, to remove it.`,
    });
  });
});

const forbidden = 'pods "fix-x-1" is forbidden:';
const opened = "unable to validate against any security context constraint:";

describe("a pod that the API server refuses says so at once", () => {
  // Webhooks that name no code are answered 400: apiserver/pkg/admission/plugin/webhook/errors/statuserror.go.
  it.each<[string, number, string, string, TriedAgain, string]>([
    // k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go
    [
      "a quota that is used",
      403,
      `${forbidden} exceeded quota: team, requested: limits.memory=2560Mi, used: limits.memory=6Gi, limited: limits.memory=8Gi`,
      "Queued",
      "a place",
      "exceeded quota: team",
    ],
    [
      "a quota that exactly one sandbox fits in",
      403,
      `${forbidden} exceeded quota: team, requested: limits.memory=8Gi, used: limits.memory=1Gi, limited: limits.memory=8192Mi`,
      "Queued",
      "a place",
      "exceeded quota: team",
    ],
    [
      "a quota that one sandbox is too large for",
      403,
      `${forbidden} exceeded quota: team, requested: limits.cpu=3,limits.memory=8193Mi, used: limits.cpu=0,limits.memory=0, limited: limits.cpu=4,limits.memory=8Gi`,
      "PodRejected",
      "never",
      "raise the ResourceQuota, or lower resources",
    ],
    [
      "a quota of none, which freezes the namespace",
      403,
      `${forbidden} exceeded quota: frozen, requested: pods=1, used: pods=0, limited: pods=0`,
      "Queued",
      "a place",
      "exceeded quota: frozen",
    ],
    [
      "a quota that is not counted yet",
      403,
      `${forbidden} status unknown for quota: team, resources: limits.cpu,limits.memory`,
      "Queued",
      "a place",
      "status unknown for quota: team",
    ],
    [
      "a quota that wants limits",
      403,
      `${forbidden} failed quota: team: must specify requests.nvidia.com/gpu for: agent,runtime`,
      "PodRejected",
      "never",
      "Set what the quota wants in resources and runtimeResources",
    ],
    [
      "a priority without a quota",
      403,
      `${forbidden} insufficient quota to match these scopes: [{PriorityClass In [high]}]`,
      "PodRejected",
      "never",
      "priorityClassName",
    ],
    // plugin/pkg/admission/limitranger/admission.go
    [
      "a LimitRange",
      403,
      `${forbidden} minimum memory usage per Container is 128Mi, but request is 96Mi`,
      "PodRejected",
      "never",
      "set runtimeResources or resources of the SandboxClass",
    ],
    // plugin/pkg/admission/security/podsecurity
    [
      "Pod Security",
      403,
      `${forbidden} violates PodSecurity "restricted:latest": unrestricted capabilities (container "istio-init" must not include "NET_ADMIN" in securityContext.capabilities.add)`,
      "PodRejected",
      "never",
      "what a webhook adds",
    ],
    // github.com/openshift/cluster-kube-apiserver-operator/pull/1947
    [
      "OpenShift",
      403,
      `${forbidden} ${opened} provider restricted-v2: .containers[0].runAsUser: Invalid value: 10001: must be in the ranges: [1000740000, 1000749999]`,
      "PodRejected",
      "never",
      "nonroot-v2",
    ],
    [
      "a policy engine without a code",
      400,
      'admission webhook "validate.kyverno.svc-fail" denied the request: resource Pod/team/fix-x-1 was blocked due to the following policies require-requests-limits: validation error',
      "PodRejected",
      "never",
      "ask who keeps it",
    ],
    [
      "a policy engine with a code",
      403,
      'admission webhook "validation.gatekeeper.sh" denied the request: [required-labels] you must provide labels: {"owner"}',
      "PodRejected",
      "never",
      "ask who keeps it",
    ],
    [
      "a policy of the API server",
      422,
      `${forbidden} ValidatingAdmissionPolicy 'images' with binding 'images' denied request: image must be of registry.example.com`,
      "PodRejected",
      "never",
      "ask who keeps it",
    ],
    [
      "our own policy, as a webhook has changed the pod",
      422,
      `${forbidden} ValidatingAdmissionPolicy 'rw-system-rw-controller-pods' with binding 'rw-system-rw-controller-pods' denied request: spec.initContainers[].securityContext: must be set`,
      "PodRejected",
      "never",
      "A webhook of the cluster has changed the sandbox",
    ],
    // plugin/pkg/admission/runtimeclass, priority, serviceaccount
    [
      "a RuntimeClass",
      403,
      `${forbidden} pod rejected: RuntimeClass "gvisor" not found`,
      "PodRejected",
      "never",
      "runtimeClassName",
    ],
    [
      "a PriorityClass",
      403,
      `${forbidden} no PriorityClass with name high was found`,
      "PodRejected",
      "never",
      "priorityClassName",
    ],
    [
      "a ServiceAccount",
      403,
      `${forbidden} error looking up service account team/runner: serviceaccount "runner" not found`,
      "PodRejected",
      "never",
      "Create that ServiceAccount",
    ],
    [
      "an invalid argument",
      422,
      'Pod "fix-x-1" is invalid: spec.tolerations[0].effect: Invalid value: "Never"',
      "PodRejected",
      "never",
      "in the SandboxClass",
    ],
  ])("%s", (_, code, words, reason, again, step) => {
    const got = saidOfRefusal(code, words);
    expect(got).toMatchObject({ reason, again });
    expect(got.message).toContain(words);
    expect(got.message).toContain(step);
    expect(got.run).toBe(again === "never" ? `${reason}: ${got.message}` : undefined);
  });

  it.each([
    [500, 'Internal error occurred: failed calling webhook "mutate.example.com": Post "https://w": connection refused'],
    [429, "the server has received too many requests"],
    [504, "Timeout: request did not complete within the allotted timeout"],
  ])("but %i is tried again soon, as it may pass: %s", (code, words) => {
    expect(() => saidOfRefusal(code, words)).toThrow(words);
  });
});
