import { group } from "./kind.ts";
import { annotations } from "./names.ts";
import { isNotOurs } from "./policy-conditions.ts";
import type { PolicyScope, PolicySource } from "./policy-source.ts";
import { celList } from "./schema.ts";

const { requestedBy, skipped } = annotations;
const ours = celList([requestedBy, skipped]);

const isAsBefore = (name: string): string =>
  `('${name}' in variables.now) == ('${name}' in variables.before) && ` +
  `(!('${name}' in variables.now) || variables.now['${name}'] == variables.before['${name}'])`;

/**
 * Lists, figures and the archive show who asked for a Run or a Prompt, and leave out a Run that was skipped for the copy that says so.
 * Who may create sandboxes, as a cluster's administrator may who restores a backup, writes what was there.
 */
export function originPolicy(users: PolicyScope["users"]): PolicySource {
  const may = `authorizer.group('${group}').resource('sandboxes').namespace(request.namespace).check('create').allowed()`;
  return {
    name: "origins",
    operations: ["CREATE", "UPDATE"],
    resources: ["runs", "prompts"],
    conditions: [
      isNotOurs(users),
      {
        name: "has-an-origin",
        expression:
          `(has(object.metadata.annotations) && object.metadata.annotations.exists(name, name in ${ours})) || ` +
          `(request.operation == 'UPDATE' && has(oldObject.metadata.annotations) && ` +
          `oldObject.metadata.annotations.exists(name, name in ${ours}))`,
      },
      { name: "may-not-create-sandboxes", expression: `!${may}` },
    ],
    variables: [
      { name: "now", expression: "has(object.metadata.annotations) ? dyn(object.metadata.annotations) : dyn({})" },
      {
        name: "before",
        expression:
          "request.operation == 'UPDATE' && has(oldObject.metadata.annotations) ? dyn(oldObject.metadata.annotations) : dyn({})",
      },
    ],
    validations: [
      {
        expression:
          `(${isAsBefore(requestedBy)}) || (!('${requestedBy}' in variables.before) && '${requestedBy}' in variables.now && ` +
          `variables.now['${requestedBy}'] == request.userInfo.username)`,
        messageExpression: `'metadata.annotations: ${requestedBy} may name ' + request.userInfo.username + ', who makes this request, and stays as it is; leave it out'`,
        reason: "Forbidden",
      },
      {
        expression: isAsBefore(skipped),
        message: `metadata.annotations: the controller alone sets ${skipped} and changes it; leave it out`,
        reason: "Forbidden",
      },
    ],
  };
}
