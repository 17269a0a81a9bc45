import type { Pod } from "../../../kube/core-resources.ts";

/** What the API server says of a LimitRange, without the name of the container that it means. */
const ofLimitRange = /\bper (?:Container|Pod) is\b/;

/** What people can do about a refusal of the API server or of those whom it asks, the most telling words first. */
const steps: readonly (readonly [said: RegExp, step: string])[] = [
  [
    /exceeded quota/,
    "The sandbox alone asks for more than the quota has: raise the ResourceQuota, or lower resources of the SandboxClass",
  ],
  [/failed quota/, "Set what the quota wants in resources and runtimeResources of the SandboxClass"],
  [
    /[iI]nsufficient quota to match/,
    "Let a ResourceQuota of the namespace match the SandboxClass's priorityClassName, or name another",
  ],
  [
    /violates PodSecurity/,
    "Sandboxes are made for level restricted: take out of the SandboxClass, or of what a webhook adds to pods, what the message names, or label the namespace for it",
  ],
  [
    /security context constraint/,
    "On OpenShift give the session's ServiceAccount the SecurityContextConstraints nonroot-v2 or one of your own",
  ],
  [/RuntimeClass "[^"]*" not found/, "Create that RuntimeClass, or name another runtimeClassName in the SandboxClass"],
  [/no PriorityClass/i, "Create that PriorityClass, or name another priorityClassName in the SandboxClass"],
  [/error looking up service account|serviceaccount "[^"]*" not found/, "Create that ServiceAccount, or name another"],
  [
    /ValidatingAdmissionPolicy '[^']*-controller-pods'/,
    "A webhook of the cluster has changed the sandbox: have it leave out pods with the label app.kubernetes.io/component=sandbox",
  ],
  [
    /ValidatingAdmissionPolicy|admission webhook|denied (?:the )?request/,
    "Change the SandboxClass as the policy wants, or ask who keeps it to except pods with the label app.kubernetes.io/component=sandbox",
  ],
  [/ is invalid: /, "Change what the message names in the SandboxClass, or in what a webhook adds to pods"],
];

/** The API server's words for a pod that it refused, with what people need to know and can do. */
export function refusedPod(message: string, { spec }: Pod): string {
  if (!ofLimitRange.test(message)) return withStep(message);
  const containers = (spec?.containers ?? []).map(({ name, resources }) => {
    return `${name} (requests ${listed(resources?.requests)}; limits ${listed(resources?.limits)})`;
  });
  return `${message}; the containers are ${containers.join(" and ")}: set runtimeResources or resources of the SandboxClass`;
}

function withStep(message: string): string {
  const [, step] = steps.find(([said]) => said.test(message)) ?? [];
  return step === undefined ? message : `${message.replace(/\.+$/, "")}. ${step}.`;
}

function listed(quantities: Readonly<Record<string, string>> = {}): string {
  return Object.entries(quantities)
    .map(([name, quantity]) => `${name} ${quantity}`)
    .join(", ");
}
