import { authorPolicies } from "./author-policies.ts";
import { filterRules } from "./filter-rules.ts";
import { gatewayAuthoritiesPolicy } from "./gateway-authorities-policy.ts";
import { kinds } from "./kinds.ts";
import { originPolicy } from "./origin-policy.ts";
import { podPolicy } from "./pod-policy.ts";
import { isNotOurs, isThere, specChanges } from "./policy-conditions.ts";
import { policyObjects, type PolicyScope, type PolicySource } from "./policy-source.ts";
import { processPolicies } from "./process-policies.ts";
import { scheduleRules, scheduleVariables } from "./schedule-policy.ts";
import { secretScopePolicy } from "./secret-policy.ts";

/** Checks the values of filters, which the CRD's own rules cannot see. */
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
    // Each is a list with one verdict for each filter.
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

/** Checks the slots of cron expressions, which is too expensive for the CRD's own rules. */
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

/**
 * What a Skill takes from ConfigMaps is read with the controller's rights and shown to agents, so users may name them only
 * where they may read all of the namespace: a question for each of 99 files would cost more than a policy may.
 */
function skillAuthors(users: PolicyScope["users"]): PolicySource {
  const allowed = `authorizer.group('').resource('configmaps').namespace(object.metadata.namespace).check('get').allowed()`;
  return {
    name: "config-maps-of-skills",
    operations: ["CREATE", "UPDATE"],
    resources: ["skills"],
    conditions: [
      specChanges,
      isNotOurs(users),
      {
        name: "names-a-config-map",
        expression: "has(object.spec.files) && object.spec.files.exists(file, has(file.configMapKeyRef))",
      },
    ],
    validations: [
      {
        expression: allowed,
        messageExpression: `'spec.files: ' + request.userInfo.username + ' must be allowed to get ConfigMaps in namespace ' + object.metadata.namespace + ', whose text agents would read; write the text into content instead'`,
        reason: "Forbidden",
      },
    ],
  };
}

/** Prompts that no person wrote may be longer, and are shown as such. */
function originsOfPrompts(users: PolicyScope["users"]): PolicySource {
  return {
    name: "origins-of-prompts",
    operations: ["CREATE"],
    resources: ["prompts"],
    conditions: [isNotOurs(users), { name: "has-an-origin", expression: isThere("origin") }],
    validations: [
      {
        expression: "false",
        message: "spec.origin: the connector alone sets it; leave it out",
        reason: "Invalid",
      },
    ],
  };
}

/** Limits of all users, in the namespaces that the release serves. Processes of other releases count as users. */
function policiesForAll(users: PolicyScope["users"]): PolicySource[] {
  return [
    filterValues(),
    schedules(),
    ...authorPolicies(users, kinds),
    skillAuthors(users),
    originsOfPrompts(users),
    originPolicy(users),
    secretScopePolicy(),
    podPolicy(),
  ];
}

/** The admission policies of one release, each followed by its binding; those for processes and of the gateway's authorities hold in all namespaces. */
export function admissionPolicies({ served, ...scope }: PolicyScope): object[] {
  return [
    ...[...processPolicies(scope), gatewayAuthoritiesPolicy(scope)].flatMap((source) => policyObjects(source, scope)),
    ...policiesForAll(scope.users).flatMap((source) => policyObjects(source, { ...scope, ...(served && { served }) })),
  ];
}
