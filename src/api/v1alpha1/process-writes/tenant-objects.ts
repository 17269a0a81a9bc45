import { group } from "../kind.ts";
import { labels, sandboxAccountName, sandboxComponent } from "../names.ts";
import { celList } from "../schema.ts";
import { named, namedLike } from "./records.ts";
import { among, free, holds, isFalse, items, members, must, oneCoreOwner, oneOf, only } from "./rules.ts";
import type { Write } from "./write.ts";

const rbac = { apiGroup: "rbac.authorization.k8s.io", version: "v1" } as const;
const networking = { apiGroup: "networking.k8s.io", version: "v1" } as const;
const core = { apiGroup: "", version: "v1" } as const;

/** Labels of what exists for the sake of a namespace's sandboxes. */
const sandboxes = only(labels.component, labels.release);
const account = { name: named(sandboxAccountName), labels: sandboxes };

/** What the account of sessions that name none may do: read what they work on, and use the default class. */
const accountRules = items(
  holds(
    (at) =>
      `${at}.apiGroups == ['${group}'] && !has(${at}.nonResourceURLs) && ` +
      `((${at}.resources.all(one, one in ${celList(["repositories", "environments"])}) && ${at}.verbs == ['get']) || ` +
      `(${at}.resources == ['sandboxclasses'] && ${at}.verbs == ['use'] && has(${at}.resourceNames) && size(${at}.resourceNames) == 1))`,
    "must be to read repositories and environments, or to use one class",
  ),
);
const bindingFields = {
  roleRef: holds(
    (at) => `${at}.apiGroup == '${rbac.apiGroup}' && ${at}.kind == 'Role' && ${at}.name == '${sandboxAccountName}'`,
    `must be the Role ${sandboxAccountName}`,
  ),
  subjects: holds(
    (at) =>
      `size(${at}) == 1 && ${at}[0].kind == 'ServiceAccount' && ${at}[0].name == '${sandboxAccountName}' && ${at}[0].namespace == request.namespace`,
    `must be the ServiceAccount ${sandboxAccountName} of this namespace alone`,
  ),
};

function kept(
  what: string,
  resource: string,
  from: { apiGroup: string; version: string },
  fields: Write["fields"],
): Write[] {
  const write = { ...from, resource, fields };
  return [
    { ...write, name: `controller-${what}`, operation: "CREATE", metadata: account },
    { ...write, name: `controller-${what}-changes`, operation: "UPDATE", metadata: account },
  ];
}

const policyFields: Write["fields"] = {
  spec: among({
    podSelector: holds(
      (at) =>
        `has(${at}.matchLabels) && (('${labels.component}' in ${at}.matchLabels && ${at}.matchLabels['${labels.component}'] == '${sandboxComponent}') || ` +
        `('${labels.sessionUid}' in ${at}.matchLabels && '${labels.attempt}' in ${at}.matchLabels))`,
      "must select sandboxes alone",
    ),
  }),
};
const policyLabels = only(...Object.values(labels));
const itsPod = oneCoreOwner("Pod");
const routed = { labels: free, annotations: free, ownerReferences: must(itsPod) };

/** What opens tunnel ports of a class with a route: the class's annotations, and labels as the pod has them. */
const tunnelObjects: readonly Write[] = [
  {
    ...core,
    name: "controller-services",
    operation: "CREATE",
    resource: "services",
    metadata: { name: namedLike("tunnel-"), labels: free, ownerReferences: must(itsPod) },
    fields: {
      spec: members({
        type: oneOf("ClusterIP"),
        selector: must(
          holds(
            (at) => `'${labels.sessionUid}' in ${at} && '${labels.attempt}' in ${at}`,
            `must name ${labels.sessionUid} and ${labels.attempt}`,
          ),
        ),
        ports: free,
        clusterIP: free,
        clusterIPs: free,
        ipFamilies: free,
        ipFamilyPolicy: free,
        internalTrafficPolicy: free,
        sessionAffinity: free,
      }),
    },
  },
  {
    ...networking,
    name: "controller-ingresses",
    operation: "CREATE",
    resource: "ingresses",
    metadata: { name: namedLike("tunnel-"), ...routed },
    fields: { spec: only("ingressClassName", "tls", "rules") },
  },
  {
    apiGroup: "gateway.networking.k8s.io",
    version: "v1",
    name: "controller-http-routes",
    operation: "CREATE",
    resource: "httproutes",
    metadata: { name: namedLike("tunnel-"), ...routed },
    fields: { spec: only("parentRefs", "hostnames", "rules") },
  },
];

/** What the controller keeps in tenant namespaces beside pods: a compromised one can neither grant rights nor open other pods. */
export const tenantObjectWrites: readonly Write[] = [
  ...kept("accounts", "serviceaccounts", core, { automountServiceAccountToken: must(isFalse) }),
  ...kept("roles", "roles", rbac, { rules: accountRules }),
  ...kept("role-bindings", "rolebindings", rbac, bindingFields),
  {
    ...networking,
    name: "controller-network-policies",
    operation: "CREATE",
    resource: "networkpolicies",
    metadata: { name: namedLike("runwright-sandbox", "tunnel-"), labels: free, ownerReferences: itsPod },
    fields: policyFields,
  },
  {
    ...networking,
    name: "controller-network-policy-changes",
    operation: "UPDATE",
    resource: "networkpolicies",
    metadata: { name: namedLike("runwright-sandbox", "tunnel-"), labels: policyLabels },
    fields: policyFields,
  },
  ...tunnelObjects,
  {
    apiGroup: "snapshot.storage.k8s.io",
    version: "v1",
    name: "controller-volume-snapshots",
    operation: "CREATE",
    resource: "volumesnapshots",
    metadata: {
      labels: only(labels.sessionUid, labels.ownerUid),
      ownerReferences: must(
        holds(
          (at) => `size(${at}) == 1 && ${at}[0].apiVersion.startsWith('${group}/')`,
          `must name one object of ${group}`,
        ),
      ),
    },
    fields: {
      spec: members({ volumeSnapshotClassName: free, source: only("persistentVolumeClaimName") }),
    },
  },
];
