import { filterRules } from "./filter.ts";
import {
  gatewayAutomations,
  gatewayPromptChanges,
  gatewayPrompts,
  gatewayRuns,
  gatewaySessions,
} from "./gateway-policies.ts";
import { ingressDeliveryLogs, ingressRuns } from "./ingress-policies.ts";
import { sandboxAccountName } from "./names.ts";
import { policyObjects, type PolicyScope, type PolicySource } from "./policy-source.ts";
import { scheduleRules, scheduleVariables } from "./schedule-policy.ts";
import { secretScopePolicy } from "./secret-policy.ts";

/** Labels, annotations and owners may change freely, also of what an older version of the policy let pass. */
const specChanges = {
  name: "spec-changes",
  expression: "request.operation == 'CREATE' || object.spec != oldObject.spec",
};

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

/** What our own processes may do, wherever they do it. */
function processPolicies(users: PolicyScope["users"]): PolicySource[] {
  return [
    ingressRuns(users),
    ingressDeliveryLogs(users),
    gatewayAutomations(users),
    gatewayRuns(users),
    gatewayPrompts(users),
    gatewayPromptChanges(users),
    gatewaySessions(users),
  ];
}

/** What anybody may do. Processes of another release are judged like people, so these end where the release's work ends. */
function policiesForAll(users: PolicyScope["users"]): PolicySource[] {
  return [
    filterValues(),
    schedules(),
    authors(users),
    namedSecrets(users, "repositories", [
      "credentialSecretRef",
      "githubApp.privateKeySecretRef",
      "caSecretRef",
      "secretRef",
    ]),
    namedSecrets(users, "environments", ["secretRef"]),
    namedSecrets(users, "automations", ["trigger.webhook.keyHashSecretRef"]),
    secretScopePolicy(),
  ];
}

/** The admission policies of one release, each followed by its binding. */
export function admissionPolicies({ served, ...scope }: PolicyScope): object[] {
  return [
    ...processPolicies(scope.users).flatMap((source) => policyObjects(source, scope)),
    ...policiesForAll(scope.users).flatMap((source) => policyObjects(source, { ...scope, ...(served && { served }) })),
  ];
}
