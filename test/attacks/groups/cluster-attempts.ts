import { apply } from "../../e2e/support/workbench.ts";
import { makePerson } from "../../e2e/support/people.ts";
import { accountName } from "../../e2e/support/tenant-objects.ts";
import { release } from "../../e2e/support/install.ts";
import type { World } from "../support/world.ts";

interface Target {
  namespace: string;
  /** Of the victim's session, whose name is `victim`. */
  uid: string;
}

interface Request {
  method: "GET" | "POST" | "PATCH";
  path: string;
  body?: object;
}

export interface ClusterAttempt {
  who: string;
  what: string;
  user: (namespace: string) => string;
  request: (target: Target) => Request;
  /** What refuses it: rights, an admission policy of ours, or the profile of the namespace. */
  by: "authorization" | "policy" | "profile";
}

const account = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;
const ofRelease = (process: string) => (): string => account(release.namespace, `${release.name}-${process}`);
const editor = (namespace: string): string => account(namespace, "person-edit");
const author = (namespace: string): string => account(namespace, "author");
const operator = (): string => account(release.namespace, "person-edit");

const sessions = `${release.namespace}-${release.name}-sessions`;
const keys = `${release.namespace}-${release.name}-keys`;
const api = "/apis/runwright.dev/v1alpha1";
const in1 = (group: string, namespace: string, resource: string): string =>
  `${group}/namespaces/${namespace}/${resource}`;
const ours = (kind: string, metadata: object, spec: object): object => {
  return { apiVersion: "runwright.dev/v1alpha1", kind, metadata, spec };
};
const get = (path: string): Request => ({ method: "GET", path });
const post = (path: string, body: object): Request => ({ method: "POST", path, body });
const patch = (path: string, body: object): Request => ({ method: "PATCH", path, body });

const session = (spec: object = {}): object => {
  return { serviceAccountName: accountName, target: {}, idleTimeoutSeconds: 0, ...spec };
};
const owner = (uid: string, apiVersion = "runwright.dev/v1alpha1"): object => {
  return { apiVersion, kind: "Session", name: "victim", uid };
};
const restricted = {
  securityContext: { runAsNonRoot: true, runAsUser: 10_002, seccompProfile: { type: "RuntimeDefault" } },
};
const safe = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
const pod = (metadata: object, container: object = { securityContext: safe }, spec: object = {}): object => {
  return { metadata, spec: { ...restricted, containers: [{ name: "any", image: "any", ...container }], ...spec } };
};
const privileged = { securityContext: { privileged: true } };

const byEditor: readonly Omit<ClusterAttempt, "who" | "user">[] = [
  {
    what: "makes a second pod with the labels of a session",
    request: ({ namespace, uid }) =>
      post(
        in1("/api/v1", namespace, "pods"),
        pod({ name: "second", labels: { "runwright.dev/session-uid": uid, "runwright.dev/session-name": "victim" } }),
      ),
    by: "policy",
  },
  {
    what: "makes a pod that a session owns",
    request: ({ namespace, uid }) =>
      post(in1("/api/v1", namespace, "pods"), pod({ name: "owned", ownerReferences: [owner(uid)] })),
    by: "policy",
  },
  {
    what: "makes a privileged pod",
    request: ({ namespace }) => post(in1("/api/v1", namespace, "pods"), pod({ name: "root" }, privileged)),
    by: "profile",
  },
  {
    what: "makes a pod with the node's files",
    request: ({ namespace }) =>
      post(
        in1("/api/v1", namespace, "pods"),
        pod({ name: "files" }, { securityContext: safe }, { volumes: [{ name: "node", hostPath: { path: "/" } }] }),
      ),
    by: "profile",
  },
  {
    what: "forges the Lease of a session's sandbox",
    request: ({ uid }) =>
      post(in1("/apis/coordination.k8s.io/v1", sessions, "leases"), { metadata: { name: `${uid}-1` }, spec: {} }),
    by: "authorization",
  },
  {
    what: "changes the Lease of a session's sandbox",
    request: ({ uid }) =>
      patch(in1("/apis/coordination.k8s.io/v1", sessions, `leases/${uid}-1`), { spec: { holderIdentity: "x" } }),
    by: "authorization",
  },
  {
    what: "writes the status of a session",
    request: ({ namespace }) =>
      patch(in1(api, namespace, "sessions/victim/status"), { status: { sandbox: { podUID: "x" } } }),
    by: "authorization",
  },
  {
    what: "reads the bundle of a session",
    request: ({ uid }) => get(in1("/api/v1", sessions, `secrets/${uid}-1`)),
    by: "authorization",
  },
  { what: "lists the hashes of keys", request: () => get(in1("/api/v1", keys, "secrets")), by: "authorization" },
  {
    what: "makes a SandboxClass",
    request: () => post(`${api}/sandboxclasses`, ours("SandboxClass", { name: "mine" }, {})),
    by: "authorization",
  },
];

const byAuthor: readonly Omit<ClusterAttempt, "who" | "user">[] = [
  {
    what: "makes a session under an account that they may not impersonate",
    request: ({ namespace }) => post(in1(api, namespace, "sessions"), ours("Session", { name: "borrowed" }, session())),
    by: "policy",
  },
  {
    what: "makes a session with a command that reads the scope's Secrets",
    request: ({ namespace }) =>
      post(
        in1(api, namespace, "sessions"),
        ours("Session", { name: "reader" }, { target: {}, agent: { command: ["env"], protocol: "exec" } }),
      ),
    by: "policy",
  },
  {
    what: "names a Secret that they may not read in a Repository",
    request: ({ namespace }) =>
      post(
        in1(api, namespace, "repositories"),
        ours(
          "Repository",
          { name: "borrowed" },
          {
            url: "https://git.example.com/a.git",
            credentialSecretRef: { name: "checkout-git" },
          },
        ),
      ),
    by: "policy",
  },
  { what: "reads Secrets", request: ({ namespace }) => get(in1("/api/v1", namespace, "secrets")), by: "authorization" },
];

const byGateway: readonly Omit<ClusterAttempt, "who" | "user">[] = [
  {
    what: "makes a session without a parent",
    request: ({ namespace }) => post(in1(api, namespace, "sessions"), ours("Session", { name: "orphan" }, session())),
    by: "policy",
  },
  {
    what: "makes a session whose parent is of another API group",
    request: ({ namespace, uid }) => {
      const metadata = { name: "changeling", ownerReferences: [owner(uid, "example.com/v1")] };
      return post(in1(api, namespace, "sessions"), ours("Session", metadata, session()));
    },
    by: "policy",
  },
  {
    what: "changes the instructions of an Automation",
    request: ({ namespace }) =>
      patch(in1(api, namespace, "automations/triage-alerts"), { spec: { instructions: "something else" } }),
    by: "policy",
  },
  {
    what: "reads a tenant's Secret",
    request: ({ namespace }) => get(in1("/api/v1", namespace, "secrets/checkout-git")),
    by: "authorization",
  },
  {
    what: "asks for a token of the controller",
    request: () =>
      post(in1("/api/v1", release.namespace, `serviceaccounts/${release.name}-controller/token`), { spec: {} }),
    by: "authorization",
  },
  { what: "lists pods", request: ({ namespace }) => get(in1("/api/v1", namespace, "pods")), by: "authorization" },
];

const run = (trigger: object, metadata: object = {}): object => {
  return ours("Run", { name: "forged", ...metadata }, { automationRef: { name: "triage-alerts", uid: "u" }, trigger });
};
const byIngress: readonly Omit<ClusterAttempt, "who" | "user">[] = [
  {
    what: "makes a Run of another type",
    request: ({ namespace }) => post(in1(api, namespace, "runs"), run({ type: "Schedule" })),
    by: "policy",
  },
  {
    what: "lists Runs",
    request: ({ namespace }) => get(in1(api, namespace, "runs")),
    by: "authorization",
  },
  { what: "lists Secrets", request: () => get(in1("/api/v1", keys, "secrets")), by: "authorization" },
];

const byController: readonly Omit<ClusterAttempt, "who" | "user">[] = [
  {
    what: "makes a privileged pod",
    request: ({ namespace, uid }) =>
      post(in1("/api/v1", namespace, "pods"), pod({ name: "root", ownerReferences: [owner(uid)] }, privileged)),
    by: "policy",
  },
  {
    what: "makes a pod that mounts a Secret",
    request: ({ namespace, uid }) => {
      const volumes = [{ name: "secret", secret: { secretName: "checkout-git" } }];
      const metadata = { name: "reader", ownerReferences: [owner(uid)] };
      return post(in1("/api/v1", namespace, "pods"), pod(metadata, { securityContext: safe }, { volumes }));
    },
    by: "policy",
  },
  {
    what: "binds a role that it has not",
    request: ({ namespace }) =>
      post(in1("/apis/rbac.authorization.k8s.io/v1", namespace, "rolebindings"), {
        metadata: { name: "admin" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "x" }],
      }),
    by: "policy",
  },
  { what: "lists Secrets", request: ({ namespace }) => get(in1("/api/v1", namespace, "secrets")), by: "authorization" },
  {
    what: "executes a command in a sandbox",
    request: ({ namespace }) => get(`${in1("/api/v1", namespace, "pods/victim/exec")}?command=id`),
    by: "authorization",
  },
  {
    what: "changes the command of a session's agent",
    request: ({ namespace }) => patch(in1(api, namespace, "sessions/victim"), { spec: { agent: { command: ["x"] } } }),
    by: "authorization",
  },
];

const byOperator: readonly Omit<ClusterAttempt, "who" | "user">[] = [
  {
    what: "replaces the authorities by which people know the gateway",
    request: () =>
      patch(in1("/api/v1", release.namespace, `configmaps/${release.name}-gateway-ca`), { data: { "ca.crt": "x" } }),
    by: "policy",
  },
];

const by = (who: string, user: ClusterAttempt["user"], attempts: readonly Omit<ClusterAttempt, "who" | "user">[]) =>
  attempts.map((attempt): ClusterAttempt => ({ who, user, ...attempt }));

export const clusterAttempts: readonly ClusterAttempt[] = [
  ...by("an editor of a namespace", editor, byEditor),
  ...by("an author without further rights", author, byAuthor),
  ...by("a thief of a gateway pod", ofRelease("gateway"), byGateway),
  ...by("a thief of an ingress pod", ofRelease("ingress"), byIngress),
  ...by("a thief of a controller pod", ofRelease("controller"), byController),
  ...by("an editor of the release's namespace", operator, byOperator),
];

/** Makes those among them who are no processes of the release. */
export async function peopleOf({ stage: { bench }, tenant: { namespace } }: World): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  const metadata = { name: "author", namespace };
  await Promise.all([
    makePerson(bench, namespace, "edit"),
    makePerson(bench, release.namespace, "edit"),
    apply(bench, [
      { apiVersion: "v1", kind: "ServiceAccount", metadata },
      {
        apiVersion: `${apiGroup}/v1`,
        kind: "Role",
        metadata,
        rules: [{ apiGroups: ["runwright.dev"], resources: ["sessions", "repositories"], verbs: ["create"] }],
      },
      {
        apiVersion: `${apiGroup}/v1`,
        kind: "RoleBinding",
        metadata,
        roleRef: { apiGroup, kind: "Role", name: "author" },
        subjects: [{ kind: "ServiceAccount", ...metadata }],
      },
    ]),
  ]);
}
