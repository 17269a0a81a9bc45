import { filterRules } from "./filter.ts";
import { group, version } from "./kind.ts";
import { annotations, sandboxAccountName } from "./names.ts";
import type { PolicySource } from "./policy-source.ts";
import { scheduleRules, scheduleVariables } from "./schedule-policy.ts";
import { secretScopePolicy } from "./secret-policy.ts";

/** What differs between two releases' policies. */
export interface PolicyScope {
  /** Begins the policies' names; unique in the cluster. */
  prefix: string;
  labels: unknown;
  /** User names of our own processes, `system:serviceaccount:<namespace>:<name>`. */
  users: { controller: string; ingress: string; gateway: string };
}

/** Labels, annotations and owners may change freely, also of what an older version of the policy let pass. */
const specChanges = {
  name: "spec-changes",
  expression: "request.operation == 'CREATE' || object.spec != oldObject.spec",
};

/** Whoever takes over an ingress pod can start what senders could have started, and nothing more. */
function ingressRuns(users: PolicyScope["users"]): PolicySource {
  return {
    name: "ingress-runs",
    operations: ["CREATE"],
    resources: ["runs"],
    conditions: [{ name: "is-ingress", expression: `request.userInfo.username == '${users.ingress}'` }],
    validations: [
      {
        expression: "object.spec.trigger.type == 'Webhook'",
        message: "spec.trigger.type: the ingress may create Runs of type Webhook only",
        reason: "Forbidden",
      },
      {
        expression: `!has(object.metadata.annotations) || !('${annotations.whilePaused}' in object.metadata.annotations)`,
        message: `metadata.annotations: the ingress may not set ${annotations.whilePaused}`,
        reason: "Forbidden",
      },
      {
        expression: "!has(object.metadata.ownerReferences) && !has(object.metadata.finalizers)",
        message: "metadata: the ingress may set neither ownerReferences nor finalizers",
        reason: "Forbidden",
      },
    ],
  };
}

/** Whoever takes over an ingress pod can falsify records, and neither keep a namespace from going nor hide a record. */
function ingressDeliveryLogs(users: PolicyScope["users"]): PolicySource {
  const owner = "object.metadata.ownerReferences[0]";
  return {
    name: "ingress-delivery-logs",
    operations: ["CREATE", "UPDATE"],
    resources: ["deliverylogs"],
    conditions: [{ name: "is-ingress", expression: `request.userInfo.username == '${users.ingress}'` }],
    validations: [
      {
        expression: `has(object.metadata.ownerReferences) && size(object.metadata.ownerReferences) == 1 && ${owner}.kind == 'Automation' && ${owner}.apiVersion.startsWith('${group}/') && ${owner}.name == object.metadata.name`,
        message: "metadata.ownerReferences: the Automation of the same name must be the only owner",
        reason: "Forbidden",
      },
      {
        expression: "!has(object.metadata.finalizers)",
        message: "metadata: the ingress may not set finalizers",
        reason: "Forbidden",
      },
      {
        expression: `request.operation == 'CREATE' || (${owner}.uid == oldObject.metadata.ownerReferences[0].uid)`,
        message: "metadata.ownerReferences: the ingress may not change the owner",
        reason: "Forbidden",
      },
    ],
  };
}

/** Judges what a filter compares with, which the CRD's own rules cannot see. */
function filterValues(): PolicySource {
  return {
    name: "filter-values",
    operations: ["CREATE", "UPDATE"],
    resources: ["automations"],
    conditions: [
      specChanges,
      {
        name: "has-filters",
        expression: "has(object.spec.trigger.webhook) && has(object.spec.trigger.webhook.filters)",
      },
    ],
    // Each is a list of verdicts, one for each filter.
    variables: filterRules.map(({ name, cel }) => ({
      name,
      expression: `object.spec.trigger.webhook.filters.map(filter, ${cel})`,
    })),
    validations: filterRules.map(({ name, message }) => ({
      expression: `!(false in variables.${name})`,
      messageExpression: `'spec.trigger.webhook.filters[' + string(variables.${name}.indexOf(false)) + '].${message}'`,
      reason: "Invalid",
    })),
  };
}

/** Judges what the values of a cron expression come to, which is too much for the CRD's own rules. */
function schedules(): PolicySource {
  return {
    name: "schedules",
    operations: ["CREATE", "UPDATE"],
    resources: ["automations"],
    conditions: [
      specChanges,
      {
        name: "has-a-schedule",
        expression: "has(object.spec.trigger.schedule) && has(object.spec.trigger.schedule.cron)",
      },
    ],
    variables: scheduleVariables,
    validations: scheduleRules,
  };
}

/** Our own processes ask the same question for whom they act. */
function isNotOurs(users: PolicyScope["users"]): PolicySource["conditions"][number] {
  return {
    name: "is-not-ours",
    expression: `!(request.userInfo.username in ['${users.controller}', '${users.gateway}'])`,
  };
}

/** Nobody acts through a ServiceAccount whose rights were not theirs already. */
function authors(users: PolicyScope["users"]): PolicySource {
  const account = "object.spec.serviceAccountName";
  const allowed = `authorizer.group('').resource('serviceaccounts').namespace(object.metadata.namespace).name(${account}).check('impersonate').allowed()`;
  return {
    name: "authors",
    operations: ["CREATE", "UPDATE"],
    resources: ["automations", "sessions"],
    conditions: [
      specChanges,
      isNotOurs(users),
      {
        // Made by the controller for everybody, with few rights.
        name: "is-not-the-default",
        expression: `request.resource.resource != 'sessions' || ${account} != '${sandboxAccountName}'`,
      },
    ],
    validations: [
      {
        expression: allowed,
        messageExpression: `'spec.serviceAccountName: ' + request.userInfo.username + ' must be allowed to impersonate ServiceAccount ' + object.metadata.namespace + '/' + ${account} + ', whose authority it gives'`,
        reason: "Forbidden",
      },
    ],
  };
}

/**
 * Whoever names a Secret has it used, so it must be one that they could read. Any change of the spec counts: with another
 * URL the Secret goes to another server. `references` are paths below the spec.
 */
function namedSecrets(users: PolicyScope["users"], resource: string, references: readonly string[]): PolicySource {
  return {
    name: `secrets-of-${resource}`,
    operations: ["CREATE", "UPDATE"],
    resources: [resource],
    conditions: [specChanges, isNotOurs(users)],
    validations: references.map((reference) => {
      const name = `object.spec.${reference}.name`;
      const allowed = `authorizer.group('').resource('secrets').namespace(object.metadata.namespace).name(${name}).check('get').allowed()`;
      return {
        expression: `${isThere(reference)} ? ${allowed} : true`,
        messageExpression: `'spec.${reference}.name: ' + request.userInfo.username + ' must be allowed to get Secret ' + object.metadata.namespace + '/' + ${name} + ', which it has used'`,
        reason: "Forbidden",
      };
    }),
  };
}

/** Each step on the way is asked for, since CEL refuses to look into what is not there. */
function isThere(reference: string): string {
  const steps = reference.split(".");
  return steps.map((_, index) => `has(object.spec.${steps.slice(0, index + 1).join(".")})`).join(" && ");
}

const admission = "admissionregistration.k8s.io/v1";

function policyObjects(source: PolicySource, { prefix, labels }: PolicyScope): object[] {
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

/** The admission policies of one release, each followed by its binding. */
export function admissionPolicies(scope: PolicyScope): object[] {
  const { users } = scope;
  const sources = [
    ingressRuns(users),
    ingressDeliveryLogs(users),
    filterValues(),
    schedules(),
    authors(users),
    namedSecrets(users, "repositories", ["credentialSecretRef", "caSecretRef", "secretRef"]),
    namedSecrets(users, "environments", ["secretRef"]),
    namedSecrets(users, "automations", ["trigger.webhook.keyHashSecretRef"]),
    secretScopePolicy(),
  ];
  return sources.flatMap((source) => policyObjects(source, scope));
}
