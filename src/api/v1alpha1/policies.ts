import { filterRules } from "./filter.ts";
import { gatewayAuthoritiesPolicy } from "./gateway-authorities-policy.ts";
import { sandboxAccountName } from "./names.ts";
import { podPolicy } from "./pod-policy.ts";
import { policyObjects, type PolicyScope, type PolicySource } from "./policy-source.ts";
import { processPolicies } from "./process-policies.ts";
import { scheduleRules, scheduleVariables } from "./schedule-policy.ts";
import { secretScopePolicy } from "./secret-policy.ts";

/** Applies only when the spec changes, so that metadata of objects that an older policy admitted can change. */
const specChanges = {
  name: "spec-changes",
  expression: "request.operation == 'CREATE' || object.spec != oldObject.spec",
};

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

/** Excludes our own processes, which check the rights of the user they act for. */
function isNotOurs(users: PolicyScope["users"]): PolicySource["conditions"][number] {
  return {
    name: "is-not-ours",
    expression: `!(request.userInfo.username in ['${users.controller}', '${users.gateway}', '${users.connector}'])`,
  };
}

/** Users may name only ServiceAccounts that they may impersonate. */
function authors(users: PolicyScope["users"]): PolicySource {
  const account = "object.spec.serviceAccountName";
  const allowed = `authorizer.group('').resource('serviceaccounts').namespace(object.metadata.namespace).name(${account}).check('impersonate').allowed()`;
  return {
    name: "authors",
    operations: ["CREATE", "UPDATE"],
    resources: ["automations", "integrations", "prebuiltimages", "sandboxpools", "sessions"],
    conditions: [
      specChanges,
      isNotOurs(users),
      {
        // The controller creates it for all users, with few rights.
        name: "is-not-the-default",
        expression: `request.resource.resource == 'automations' || ${account} != '${sandboxAccountName}'`,
      },
    ],
    validations: [
      {
        expression: allowed,
        messageExpression: `'spec.serviceAccountName: ' + request.userInfo.username + ' must be allowed to impersonate ServiceAccount ' + object.metadata.namespace + '/' + ${account} + ', whose rights this would grant'`,
        reason: "Forbidden",
      },
    ],
  };
}

/** As {@link authors}, of the ServiceAccount of builds that a Repository or Environment asks for. */
function prebuildAuthors(users: PolicyScope["users"], resource: string): PolicySource {
  const account = "object.spec.prebuild.serviceAccountName";
  const allowed = `authorizer.group('').resource('serviceaccounts').namespace(object.metadata.namespace).name(${account}).check('impersonate').allowed()`;
  return {
    name: `prebuilds-of-${resource}`,
    operations: ["CREATE", "UPDATE"],
    resources: [resource],
    conditions: [
      specChanges,
      isNotOurs(users),
      { name: "names-an-account", expression: `${isThere("prebuild")} && ${account} != '${sandboxAccountName}'` },
    ],
    validations: [
      {
        expression: allowed,
        messageExpression: `'spec.prebuild.serviceAccountName: ' + request.userInfo.username + ' must be allowed to impersonate ServiceAccount ' + object.metadata.namespace + '/' + ${account} + ', whose rights this would grant'`,
        reason: "Forbidden",
      },
    ],
  };
}

/**
 * An agent has the secrets of its scopes in its environment, so users may name a command of their own only where they may read Secrets.
 * Which Secrets these are follows from other objects, which a policy cannot see: the right is to get all of the namespace.
 */
function agentAuthors(users: PolicyScope["users"], resource: string, agent: string): PolicySource {
  const allowed = `authorizer.group('').resource('secrets').namespace(object.metadata.namespace).check('get').allowed()`;
  return {
    name: `agents-of-${resource}`,
    operations: ["CREATE", "UPDATE"],
    resources: [resource],
    conditions: [specChanges, isNotOurs(users), { name: "names-an-agent", expression: isThere(agent) }],
    validations: [
      {
        expression: allowed,
        messageExpression: `'spec.${agent}: ' + request.userInfo.username + ' must be allowed to get Secrets in namespace ' + object.metadata.namespace + ', which the command would have in its environment; leave it out to use the agent of the SandboxClass'`,
        reason: "Forbidden",
      },
    ],
  };
}

/**
 * Users may name only Secrets that they may read. Checked at any change of the spec, as another URL would send the Secret
 * to another server. `references` are paths below the spec.
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
        messageExpression: `'spec.${reference}.name: ' + request.userInfo.username + ' must be allowed to get Secret ' + object.metadata.namespace + '/' + ${name} + ', which this would use'`,
        reason: "Forbidden",
      };
    }),
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

/** CEL: whether the reference is set; each step is tested, as CEL fails on a missing parent. */
function isThere(reference: string): string {
  const steps = reference.split(".");
  return steps.map((_, index) => `has(object.spec.${steps.slice(0, index + 1).join(".")})`).join(" && ");
}

/** Limits of all users, in the namespaces that the release serves. Processes of other releases count as users. */
function policiesForAll(users: PolicyScope["users"]): PolicySource[] {
  return [
    filterValues(),
    schedules(),
    authors(users),
    prebuildAuthors(users, "repositories"),
    prebuildAuthors(users, "environments"),
    agentAuthors(users, "sessions", "agent"),
    agentAuthors(users, "automations", "session.agent"),
    namedSecrets(users, "repositories", [
      "credentialSecretRef",
      "githubApp.privateKeySecretRef",
      "caSecretRef",
      "secretRef",
    ]),
    namedSecrets(users, "environments", ["secretRef"]),
    namedSecrets(users, "integrations", ["signingSecretRef", "credentialsSecretRef"]),
    namedSecrets(users, "automations", ["trigger.webhook.keyHashSecretRef"]),
    skillAuthors(users),
    originsOfPrompts(users),
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
