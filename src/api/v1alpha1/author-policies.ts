import type { Kind } from "./kind.ts";
import { sandboxAccountName } from "./names.ts";
import { isNotOurs, isThere, specChanges } from "./policy-conditions.ts";
import type { PolicyScope, PolicySource, Validation } from "./policy-source.ts";
import { fieldsOf } from "./schema-fields.ts";
import { type Guarded, guardOf } from "./schema.ts";

type Users = PolicyScope["users"];

const accountField = "serviceAccountName";

/**
 * What authors have to be allowed to, by the fields of kinds' specs that are marked as such: a policy asks about each of them. Kinds
 * without a namespace are left out: admins of the cluster write them, and what they name lies in the namespaces of sessions.
 * @throws Error for a field within a list or a map
 */
export function authorPolicies(users: Users, kinds: readonly Kind[]): PolicySource[] {
  const namespaced = kinds.filter((kind) => kind.namespaced);
  const acting = namespaced.filter((kind) => fieldsAs(kind, "ServiceAccount").includes(accountField));
  return [
    ...(acting.length === 0 ? [] : [authors(users, acting)]),
    ...namespaced.flatMap((kind) =>
      fieldsAs(kind, "ServiceAccount")
        .filter((field) => field !== accountField)
        .map((field) => accountAuthors(users, kind, field)),
    ),
    ...namespaced.flatMap((kind) => fieldsAs(kind, "Agent").map((field) => agentAuthors(users, kind, field))),
    ...namespaced.flatMap((kind) => {
      const fields = fieldsAs(kind, "Secret");
      return fields.length === 0 ? [] : [namedSecrets(users, kind, fields)];
    }),
  ];
}

/** Paths below the spec, in their order. */
function fieldsAs({ kind, spec }: Kind, what: Guarded): string[] {
  return fieldsOf(spec)
    .filter(({ schema }) => guardOf(schema) === what)
    .map(({ path, isWithin }) => {
      const field = path.join(".");
      if (!isWithin) return field;
      throw new Error(`${kind}.spec.${field} names a ${what} in a list or map, which no policy asks about`);
    });
}

/** Users may name only ServiceAccounts that they may impersonate. */
function authors(users: Users, acting: readonly Kind[]): PolicySource {
  return {
    name: "authors",
    operations: ["CREATE", "UPDATE"],
    resources: acting.map(({ plural }) => plural),
    conditions: [
      specChanges,
      isNotOurs(users),
      {
        // The controller creates it for all users, with few rights.
        name: "is-not-the-default",
        expression: `request.resource.resource == 'automations' || object.spec.${accountField} != '${sandboxAccountName}'`,
      },
    ],
    validations: [impersonation(accountField)],
  };
}

/** As {@link authors}, of a ServiceAccount that another part of the spec names, such as that of builds. */
function accountAuthors(users: Users, { plural }: Kind, field: string): PolicySource {
  const [part = ""] = field.split(".");
  return {
    name: `${part.toLowerCase()}s-of-${plural}`,
    operations: ["CREATE", "UPDATE"],
    resources: [plural],
    conditions: [
      specChanges,
      isNotOurs(users),
      { name: "names-an-account", expression: `${isThere(field)} && object.spec.${field} != '${sandboxAccountName}'` },
    ],
    validations: [impersonation(field)],
  };
}

function impersonation(field: string): Validation {
  const account = `object.spec.${field}`;
  return {
    expression: `authorizer.group('').resource('serviceaccounts').namespace(object.metadata.namespace).name(${account}).check('impersonate').allowed()`,
    messageExpression: `'spec.${field}: ' + request.userInfo.username + ' must be allowed to impersonate ServiceAccount ' + object.metadata.namespace + '/' + ${account} + ', whose rights this would grant'`,
    reason: "Forbidden",
  };
}

/**
 * An agent has the secrets of its scopes in its environment, so users may name a command of their own only where they may read Secrets.
 * Which Secrets these are follows from other objects, which a policy cannot see: the right is to get all of the namespace.
 */
function agentAuthors(users: Users, { plural }: Kind, field: string): PolicySource {
  return {
    name: `agents-of-${plural}`,
    operations: ["CREATE", "UPDATE"],
    resources: [plural],
    conditions: [specChanges, isNotOurs(users), { name: "names-an-agent", expression: isThere(field) }],
    validations: [
      {
        expression: `authorizer.group('').resource('secrets').namespace(object.metadata.namespace).check('get').allowed()`,
        messageExpression: `'spec.${field}: ' + request.userInfo.username + ' must be allowed to get Secrets in namespace ' + object.metadata.namespace + ', which the command would have in its environment; leave it out to use the agent of the SandboxClass'`,
        reason: "Forbidden",
      },
    ],
  };
}

/** Users may name only Secrets that they may read. Checked at any change of the spec, as another URL would send the Secret to another server. */
function namedSecrets(users: Users, { plural }: Kind, fields: readonly string[]): PolicySource {
  return {
    name: `secrets-of-${plural}`,
    operations: ["CREATE", "UPDATE"],
    resources: [plural],
    conditions: [specChanges, isNotOurs(users)],
    validations: fields.map((field) => {
      const name = `object.spec.${field}`;
      const allowed = `authorizer.group('').resource('secrets').namespace(object.metadata.namespace).name(${name}).check('get').allowed()`;
      return {
        expression: `${isThere(field)} ? ${allowed} : true`,
        messageExpression: `'spec.${field}: ' + request.userInfo.username + ' must be allowed to get Secret ' + object.metadata.namespace + '/' + ${name} + ', which this would use'`,
        reason: "Forbidden",
      };
    }),
  };
}
