import { group } from "./kind.ts";
import { labels } from "./names.ts";
import type { PolicySource } from "./policy-source.ts";
import { celList } from "./schema.ts";

/** Labels by which a pod counts as the sandbox of a Session or of another owner. */
const ownerLabels = celList([
  labels.sessionUid,
  labels.sessionName,
  labels.ownerUid,
  labels.ownerKind,
  labels.ownerName,
]);

const isOurs = (reference: string): string => `${reference}.apiVersion.startsWith('${group}/')`;

/** What the object had before counts; `pods/status` is there as labels can be written by that way, too. */
const had = (field: "labels" | "ownerReferences"): string =>
  `request.operation == 'UPDATE' && has(oldObject.metadata.${field})`;

/**
 * Only those who may create sandboxes make a pod one, or make it another's. Who updates one otherwise, as kubelets and the
 * garbage collector do, leaves its owner and these labels, or takes them away.
 */
export function podPolicy(): PolicySource {
  const references = "object.metadata.ownerReferences";
  const may = `authorizer.group('${group}').resource('sandboxes').namespace(request.namespace).check('create').allowed()`;
  return {
    name: "pods",
    operations: ["CREATE", "UPDATE"],
    apiGroup: "",
    version: "v1",
    resources: ["pods", "pods/status"],
    conditions: [
      {
        name: "has-an-owner-of-ours",
        expression:
          `(has(${references}) && ${references}.exists(one, ${isOurs("one")})) || ` +
          `(has(object.metadata.labels) && object.metadata.labels.exists(name, name in ${ownerLabels}))`,
      },
      { name: "may-not-create-sandboxes", expression: `!${may}` },
    ],
    validations: [
      {
        expression:
          `!has(${references}) || ${references}.all(one, !${isOurs("one")} || (${had("ownerReferences")} && ` +
          "oldObject.metadata.ownerReferences.exists(old, " +
          "old.apiVersion == one.apiVersion && old.kind == one.kind && old.name == one.name && old.uid == one.uid)))",
        messageExpression: `'metadata.ownerReferences: ' + request.userInfo.username + ' must be allowed to create sandboxes.${group} in namespace ' + request.namespace + ' to make an object of ${group} own a Pod'`,
        reason: "Forbidden",
      },
      {
        expression:
          `!has(object.metadata.labels) || object.metadata.labels.all(name, !(name in ${ownerLabels}) || (${had("labels")} && ` +
          "name in oldObject.metadata.labels && oldObject.metadata.labels[name] == object.metadata.labels[name]))",
        messageExpression: `'metadata.labels: ' + request.userInfo.username + ' must be allowed to create sandboxes.${group} in namespace ' + request.namespace + ' to give a Pod a label that names the owner of a sandbox'`,
        reason: "Forbidden",
      },
    ],
  };
}
