import { type ReasonMeaning, reasonMeanings } from "../../../api/v1alpha1/reason-meanings.ts";
import type { Reason } from "../../../api/v1alpha1/reasons.ts";
import { cutMiddle } from "../../../lib/characters.ts";

/** Characters of what others say in a condition. */
const longestSaid = 512;

/** What a node or the scheduler says as one line of at most 512 characters. */
export function oneLine(text: string): string {
  return cutMiddle(text.replace(/\s+/g, " ").trim(), longestSaid);
}

/** Words of Kubernetes and container runtimes that tell more than a reason what people can do. */
const knownSteps: readonly (readonly [said: RegExp, step: string])[] = [
  [/SchedulingGated/, "Ask the owner of the scheduling gate, such as the operator of the job queue, to remove it"],
  [/Too many pods/, "Give the cluster another node, or its nodes room for more pods"],
  [/Insufficient \S+/, "Lower the resources of the SandboxClass, or give the cluster a node that has as much free"],
  [/untolerated taint/, "Set tolerations of the SandboxClass, or take the taint away"],
  [
    /didn't match Pod's node (?:affinity|selector)/,
    "Set nodeSelector and affinity of the SandboxClass to labels that nodes have",
  ],
  [/topology spread constraints/, "Loosen topologySpreadConstraints of the SandboxClass"],
  [
    /persistentvolumeclaim|storageclass|volume node affinity/i,
    "Check the volumes of the SandboxClass, their claims and their StorageClass",
  ],
  [
    /exceeds the (?:total )?limit|exceeded its local ephemeral storage limit/,
    "Write less, or raise workspaceSizeLimit or resources.limits.ephemeral-storage of the SandboxClass",
  ],
  [
    /The node was low on resource/,
    "Raise resources.requests of the SandboxClass to what sandboxes use, so that nodes are not filled beyond their size",
  ],
  [/PreemptionByScheduler|Preempted/i, "Set a priorityClassName of the SandboxClass that those pods do not outrank"],
  [
    /no match for platform|exec format error/,
    "Build the image for the node's architecture, or set nodeSelector kubernetes.io/arch of the SandboxClass",
  ],
  [
    /toomanyrequests|429 Too Many Requests/i,
    "The registry limits pulls: set imagePullSecrets of the SandboxClass, or pull through a mirror",
  ],
  [/x509:|certificate signed by unknown authority/, "Have the nodes trust the registry's certificate authority"],
  [
    /no such host|i\/o timeout|connection refused|TLS handshake timeout/,
    "Check that nodes reach the registry, and its name in the image of the SandboxClass",
  ],
  [/no space left on device/, "Free the node's disk, or use nodes with a larger one"],
  [/ErrImageNeverPull/, "Load the image onto the nodes, or set another imagePullPolicy of the SandboxClass"],
  [/SignatureValidationFailed/, "Sign the image as the policy of the nodes wants, or take one that is signed"],
  [
    /no runtime for "[^"]*" is configured|RuntimeHandler "[^"]*" not supported|failed to find runtime handler/,
    "Set up the container runtime on the nodes, or name another runtimeClassName in the SandboxClass",
  ],
  [
    /user ?namespaces?|idmap/i,
    "Set hostUsers: true in the SandboxClass, or use nodes whose runtime and file systems support user namespaces",
  ],
  [
    /container init was OOM-killed/,
    "Raise the memory limit of that container in the SandboxClass (resources or runtimeResources)",
  ],
  [
    /plugin type=|cni|network is not ready|NetworkNotReady|failed to setup network/i,
    "Check the network plugin on the node",
  ],
  [
    /FailedAttachVolume|Multi-Attach/,
    "Another node has the volume still: wait until it is detached, or use a volume that many nodes may mount",
  ],
  [
    /(?:configmap|secret)s? "[^"]*" not found|references non-existent (?:config|secret) key/,
    "Create what the message names, or change the volumes or env of the SandboxClass",
  ],
];

/** What was said, with what people can do about it. */
export function withNextStep(reason: Reason, said: string): string {
  const { remedy }: ReasonMeaning = reasonMeanings[reason];
  return followedBy(said, knownStep(said) ?? remedy);
}

/** The same where the words themselves tell what can be done; else they stay as they are. */
export function withKnownStep(said: string): string {
  return followedBy(said, knownStep(said));
}

function knownStep(said: string): string | undefined {
  const [, step] = knownSteps.find(([pattern]) => pattern.test(said)) ?? [];
  return step === undefined ? undefined : `${step}.`;
}

function followedBy(said: string, step: string | undefined): string {
  return step === undefined ? said : `${said.replace(/\.+$/, "")}. ${step}`;
}
