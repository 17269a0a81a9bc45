import { group, version } from "./kind.ts";

/** What differs between two releases' policies. */
export interface PolicyScope {
  /** Begins the policies' names; unique in the cluster. */
  prefix: string;
  labels: unknown;
  /** User names of our own processes, `system:serviceaccount:<namespace>:<name>`. */
  users: { controller: string; ingress: string; gateway: string };
  /** Part of matchConstraints that keeps what judges everybody to the namespaces which the release serves; left out: all. */
  served?: object;
}

/** Narrows a policy to what one of our own processes asks. */
export function isProcess(
  process: keyof PolicyScope["users"],
  users: PolicyScope["users"],
): PolicySource["conditions"][number] {
  return { name: `is-${process}`, expression: `request.userInfo.username == '${users[process]}'` };
}

/** A rule of a policy; the message is CEL where it names what was found. */
export type Validation = { expression: string; reason: "Forbidden" | "Invalid" } & (
  { message: string } | { messageExpression: string }
);

/** An admission policy in so far as policies differ. */
export interface PolicySource {
  name: string;
  operations: readonly ("CREATE" | "UPDATE")[];
  /** Left out: our own. */
  apiGroup?: string;
  /** Of the group; left out: our own. */
  version?: string;
  resources: readonly string[];
  /** Objects that are judged, before or after the change; left out: all. */
  selector?: object;
  /** The policy judges requests for which all of these hold. */
  conditions: readonly { name: string; expression: string }[];
  variables?: readonly { name: string; expression: string }[];
  validations: readonly Validation[];
}

const admission = "admissionregistration.k8s.io/v1";

/** A policy and its binding, which denies. */
export function policyObjects(source: PolicySource, { prefix, labels, served }: PolicyScope): object[] {
  const { operations, resources, selector, conditions, variables, validations } = source;
  const where = { apiGroups: [source.apiGroup ?? group], apiVersions: [source.version ?? version] };
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
          ...(selector ? { objectSelector: selector } : {}),
          resourceRules: [{ ...where, operations, resources }],
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
