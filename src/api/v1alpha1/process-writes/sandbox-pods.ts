import { sandboxAudience } from "../../runtime/pod-contract.ts";
import { group } from "../kind.ts";
import { labels, safeToEvict, sandboxComponent } from "../names.ts";
import { celList } from "../schema.ts";
import {
  among,
  free,
  holds,
  isEmpty,
  isFalse,
  isTrue,
  items,
  members,
  must,
  oneOwner,
  only,
  type Rule,
} from "./rules.ts";
import type { Write, WriteScope } from "./write.ts";

/** Audiences of the tokens that webhooks of clouds add to pods; the kube-apiserver takes none of them. */
const cloudAudiences = [
  "sts.amazonaws.com",
  "pods.eks.amazonaws.com",
  "api://AzureADTokenExchange",
  "sts.aliyuncs.com",
];

const notRoot = holds((at) => `${at} != 0`, "must not be 0");
const seccomp = holds((at) => `has(${at}.type) && ${at}.type != 'Unconfined'`, "must not be of type Unconfined");
const seLinux = holds((at) => `!has(${at}.user) && !has(${at}.role)`, "must have neither user nor role");

const podSecurity = members({
  runAsNonRoot: must(isTrue),
  runAsUser: notRoot,
  runAsGroup: free,
  fsGroup: free,
  fsGroupChangePolicy: free,
  supplementalGroups: free,
  seccompProfile: must(seccomp),
  seLinuxOptions: seLinux,
});

const containerSecurity = members({
  allowPrivilegeEscalation: must(isFalse),
  privileged: isFalse,
  runAsNonRoot: isTrue,
  runAsUser: notRoot,
  runAsGroup: free,
  readOnlyRootFilesystem: free,
  capabilities: must(members({ drop: must(holds((at) => `'ALL' in ${at}`, "must hold ALL")), add: isEmpty })),
  seccompProfile: seccomp,
  seLinuxOptions: seLinux,
});

const container = among({
  securityContext: must(containerSecurity),
  ports: items(among({ hostPort: isEmptyPort() })),
});

function isEmptyPort(): Rule {
  return holds((at) => `${at} == 0`, "must not be set");
}

/** Volumes that bring in nothing of the node, and no credential but tokens that are nothing worth at the kube-apiserver. */
function volume({ release }: WriteScope): Rule {
  const token = among({
    audience: must(
      holds((at) => `${at} in ${celList([sandboxAudience(release), ...cloudAudiences])}`, "must be that of sandboxes"),
    ),
  });
  const sources = items(members({ serviceAccountToken: token, downwardAPI: free, configMap: free }));
  return members({
    name: free,
    emptyDir: free,
    projected: members({ sources, defaultMode: free }),
    downwardAPI: free,
    ephemeral: free,
    configMap: free,
    persistentVolumeClaim: free,
    image: free,
  });
}

const account = holds(
  (at) =>
    `authorizer.serviceAccount(request.namespace, ${at}).group('${group}').resource('sandboxclasses').namespace(request.namespace)` +
    `.name(object.metadata.labels['${labels.sandboxClass}']).check('use').allowed()`,
  `must be allowed to use the SandboxClass that the label ${labels.sandboxClass} names`,
);

const owner = (at: string): string => `${at}[0].apiVersion.startsWith('${group}/')`;

/** CEL: whether these labels name the one owner. */
function nameTheOwner(at: string): string {
  const reference = "object.metadata.ownerReferences[0]";
  const session = `${reference}.kind == 'Session' && '${labels.sessionUid}' in ${at} && ${at}['${labels.sessionUid}'] == ${reference}.uid`;
  const other =
    `'${labels.ownerKind}' in ${at} && ${at}['${labels.ownerKind}'] == ${reference}.kind && ` +
    `'${labels.ownerUid}' in ${at} && ${at}['${labels.ownerUid}'] == ${reference}.uid`;
  return `(${session}) || (${other})`;
}

/** A pod that waited in a pool becomes a Session's, once; what it runs and as whom stays as it was. */
const claim: Write = {
  name: "controller-pod-claims",
  operation: "UPDATE",
  apiGroup: "",
  version: "v1",
  resource: "pods",
  metadata: {
    ownerReferences: oneOwner("Session", "the controller must set the Session as the one owner"),
    labels: members({
      [labels.ownerUid]: free,
      [labels.ownerKind]: free,
      [labels.ownerName]: free,
      [labels.sessionUid]: must(
        holds((at) => `${at} == object.metadata.ownerReferences[0].uid`, "must be the owner's UID"),
      ),
      [labels.sessionName]: free,
      [labels.attempt]: free,
      [labels.claimedFrom]: must(free),
    }),
    annotations: only(safeToEvict),
  },
  fields: { spec: only("activeDeadlineSeconds") },
  also: [
    {
      expression:
        "has(oldObject.metadata.ownerReferences) && oldObject.metadata.ownerReferences.size() == 1 && " +
        `oldObject.metadata.ownerReferences[0].apiVersion.startsWith('${group}/') && oldObject.metadata.ownerReferences[0].kind == 'SandboxPool'`,
      message: "metadata.ownerReferences: the controller may change pods of SandboxPools only",
    },
  ],
};

/**
 * Limits a compromised controller to pods under the restricted profile, without a token for the kube-apiserver and under
 * accounts that people gave a class to. Class and webhooks may add what these rules leave open.
 */
export function sandboxPodWrites(scope: WriteScope): Write[] {
  return [
    claim,
    {
      name: "controller-pods",
      operation: "CREATE",
      apiGroup: "",
      version: "v1",
      resource: "pods",
      metadata: {
        ownerReferences: must(holds((at) => `size(${at}) == 1 && ${owner(at)}`, `must name one object of ${group}`)),
        labels: must(
          holds(
            (at) =>
              `'${labels.component}' in ${at} && ${at}['${labels.component}'] == '${sandboxComponent}' && ` +
              `'${labels.sandboxClass}' in ${at} && '${labels.attempt}' in ${at} && (${nameTheOwner(at)})`,
            `must name component, class, attempt and the owner by its UID`,
          ),
        ),
        annotations: free,
      },
      fields: {
        spec: among({
          serviceAccountName: must(account),
          automountServiceAccountToken: must(isFalse),
          hostNetwork: isFalse,
          hostPID: isFalse,
          hostIPC: isFalse,
          shareProcessNamespace: isFalse,
          nodeName: isEmpty,
          securityContext: must(podSecurity),
          containers: must(items(container)),
          initContainers: items(container),
          volumes: items(volume(scope)),
        }),
      },
    },
  ];
}
