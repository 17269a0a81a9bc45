import { group, version } from "./kind.ts";

/** Parameters of one release's policies. */
export interface PolicyScope {
  /** Begins the policies' names; unique in the cluster. */
  prefix: string;
  labels: unknown;
  release: { name: string; namespace: string };
  /** The release's other namespaces: of keys' hashes, of live sessions and of credentials of Integrations. */
  namespaces: { keys: string; sessions: string; tokens: string };
  /** User names of our own processes, `system:serviceaccount:<namespace>:<name>`. */
  users: { controller: string; ingress: string; gateway: string; connector: string };
  /** Part of matchConstraints that limits the policies for all users to the namespaces that the release serves; left out: all. */
  served?: object;
}

/** A rule of a policy; a message that quotes the object is CEL. */
export type Validation = { expression: string; reason: "Forbidden" | "Invalid" } & (
  { message: string } | { messageExpression: string }
);

/** The parts of an admission policy that differ between policies. */
export interface PolicySource {
  name: string;
  operations: readonly ("CREATE" | "UPDATE" | "DELETE")[];
  /** Left out: our own. */
  apiGroup?: string;
  /** Of the group; left out: our own. */
  version?: string | undefined;
  resources: readonly string[];
  /** More resources, in any version. */
  others?: readonly { apiGroup: string; resources: readonly string[] }[];
  /** The one namespace in which it holds; left out: all that are served. */
  namespace?: string;
  /** Object selector, matched before and after the change; left out: all objects. */
  selector?: object;
  /** The policy applies to requests for which all of these hold. */
  conditions: readonly { name: string; expression: string }[];
  variables?: readonly { name: string; expression: string }[];
  validations: readonly Validation[];
}

const admission = "admissionregistration.k8s.io/v1";

/** A policy and its binding, which denies the request. */
export function policyObjects(source: PolicySource, { prefix, labels, served }: PolicyScope): object[] {
  const { operations, resources, namespace, selector, conditions, variables, validations } = source;
  const where = { apiGroups: [source.apiGroup ?? group], apiVersions: [source.version ?? version] };
  const others = (source.others ?? []).map((other) => ({
    apiGroups: [other.apiGroup],
    apiVersions: ["*"],
    operations,
    resources: other.resources,
  }));
  const metadata = { name: `${prefix}-${source.name}`, labels };
  return [
    {
      apiVersion: admission,
      kind: "ValidatingAdmissionPolicy",
      metadata,
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          ...served,
          ...(namespace === undefined ? {} : { namespaceSelector: inNamespace(namespace) }),
          ...(selector ? { objectSelector: selector } : {}),
          resourceRules: [{ ...where, operations, resources }, ...others],
        },
        matchConditions: conditions,
        ...(variables ? { variables } : {}),
        validations,
      },
    },
    {
      apiVersion: admission,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
      spec: { policyName: metadata.name, validationActions: ["Deny"] },
    },
  ];
}

function inNamespace(name: string): object {
  return { matchLabels: { "kubernetes.io/metadata.name": name } };
}
