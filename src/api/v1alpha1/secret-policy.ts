import { labels } from "./names.ts";
import type { PolicySource, Validation } from "./policy-source.ts";
import { celList } from "./schema.ts";
import {
  globalSecretName,
  reservedSecretKeys,
  reservedSecretPattern,
  secretKeyPattern,
  secretLimits,
  secretRefusals,
  secretScopes,
} from "./secret-scopes.ts";

/*
 * Policies see the values of a Secret as base64 text, so bytes are counted from its length and padding.
 * CEL limits the cost of an expression to 1,000,000 units. So keys are compared with one another only within the limit of
 * keys, and a Secret that has too many, and more than before, is not searched: with thousands of keys the message would be
 * about cost.
 */
const { keysPerScope, valueBytes, scopeBytes } = secretLimits;

function bytesOf(map: string, key: string): string {
  const text = `${map}[${key}]`;
  return `(size(${text}) / 4 * 3 - (${text}.endsWith('==') ? 2 : ${text}.endsWith('=') ? 1 : 0))`;
}

const { data, old } = { data: "variables.data", old: "variables.old" };

/** A NUL in base64 text, at each of the three positions of a byte in a group of four characters; short, to keep its cost low. */
const nulPattern = "^(.{4})*(A[A-P]|.[AQgw][A-D]|..[AEIMQUYcgkosw048]A)";
/** Bytes up to which a scope that was stored before the limits is searched as a whole. */
const nulBytes = 4 * scopeBytes;

const variables = [
  {
    name: "wasScope",
    expression: `request.operation == 'UPDATE' && has(oldObject.metadata.labels) && '${labels.secretScope}' in oldObject.metadata.labels`,
  },
  { name: "data", expression: "has(object.data) ? dyn(object.data) : dyn({})" },
  { name: "old", expression: "variables.wasScope && has(oldObject.data) ? dyn(oldObject.data) : dyn({})" },
  { name: "total", expression: `${data}.map(key, ${bytesOf(data, "key")}).sum()` },
  { name: "oldTotal", expression: `${old}.map(key, ${bytesOf(old, "key")}).sum()` },
  // Only changes are checked, so that a stored scope above the limits can be emptied step by step.
  { name: "hasTooMany", expression: `size(${data}) > ${keysPerScope}` },
  {
    name: "changed",
    expression: `variables.hasTooMany && size(${data}) > size(${old}) ? [] : ${data}.filter(key, !(key in ${old}) || ${old}[key] != ${data}[key])`,
  },
  { name: "nulls", expression: `variables.changed.filter(key, ${data}[key] == null)` },
  {
    name: "grown",
    expression: `variables.changed.filter(key, !(key in ${old} && ${bytesOf(data, "key")} < ${bytesOf(old, "key")}))`,
  },
  // With too many keys none is new, so their names need no check.
  { name: "named", expression: "variables.hasTooMany ? [] : variables.changed" },
  {
    name: "malformed",
    expression: `variables.named.filter(key, !key.matches('${secretKeyPattern.source}'))`,
  },
  {
    name: "reserved",
    expression: `variables.named.filter(key, key.upperAscii() in ${celList(reservedSecretKeys)} || key.upperAscii().matches('${reservedSecretPattern.source}'))`,
  },
  {
    name: "folded",
    expression: `size(variables.named) == 0 ? [] : ${data}.map(key, key.lowerAscii())`,
  },
  {
    name: "twins",
    expression: "variables.named.filter(key, !variables.folded.exists_one(other, other == key.lowerAscii()))",
  },
  {
    name: "tooLong",
    expression: `variables.grown.filter(key, ${bytesOf(data, "key")} > ${valueBytes})`,
  },
  {
    name: "withNul",
    expression: `size(variables.changed) == 0 || variables.total > ${nulBytes} ? [] : variables.changed.filter(key, ${data}[key].matches('${nulPattern}'))`,
  },
];

const scope = `object.metadata.labels['${labels.secretScope}']`;
const hasName = `'${labels.scopeName}' in object.metadata.labels`;

function keyRule(variable: string, problem: string): Validation {
  return {
    expression: `size(variables.${variable}) == 0`,
    messageExpression: `'data[' + variables.${variable}.min() + ']: ' + ${problem}`,
    reason: "Invalid",
  };
}

/** CEL: a measure above its limit must shrink, or stay while the other one shrinks. */
function shrinks(measure: readonly [string, string], other: readonly [string, string]): string {
  const [now, before] = measure;
  return `(variables.wasScope && (${now} < ${before} || (${now} == ${before} && ${other[0]} < ${other[1]})))`;
}

const keys = [`size(${data})`, `size(${old})`] as const;
const bytes = ["variables.total", "variables.oldTotal"] as const;

const validations: readonly Validation[] = [
  {
    expression: `${scope} in ${celList(secretScopes)}`,
    message: `metadata.labels[${labels.secretScope}]: must be one of ${secretScopes.join(", ")}`,
    reason: "Invalid",
  },
  {
    expression: `${scope} != 'global' || (object.metadata.name == '${globalSecretName}' && !(${hasName}))`,
    message: `metadata.name: the Secret of scope global must be named ${globalSecretName} and must not have the label ${labels.scopeName}`,
    reason: "Invalid",
  },
  {
    expression: `${scope} == 'global' || (${hasName} && object.metadata.labels['${labels.scopeName}'] != '')`,
    messageExpression: `'metadata.labels[${labels.scopeName}]: must name the ' + ${scope} + ' whose secrets these are'`,
    reason: "Invalid",
  },
  // Before the rules on sizes, as null has none.
  keyRule("nulls", "'the value is null; write \"\" for an empty one'"),
  {
    expression: `${keys[0]} <= ${keysPerScope} || ${shrinks(keys, bytes)}`,
    messageExpression: `'data: the scope would have ' + string(${keys[0]}) + ' keys and may have at most ${keysPerScope}; it has ' + string(${keys[1]}) + ' now'`,
    reason: "Invalid",
  },
  {
    expression: "!variables.hasTooMany || size(variables.grown) == 0",
    messageExpression: `'data[' + variables.grown.min() + ']: while a scope has more than ${keysPerScope} keys, keys may only be removed and values only become shorter'`,
    reason: "Invalid",
  },
  keyRule("malformed", `'${secretRefusals.malformed}'`),
  keyRule("reserved", `'${secretRefusals.reserved}'`),
  keyRule("twins", `'${secretRefusals.twin}'`),
  keyRule(
    "tooLong",
    `'the value has ' + string(${bytesOf(data, "variables.tooLong.min()")}) + ' bytes and may have at most ${valueBytes}'`,
  ),
  keyRule("withNul", `'${secretRefusals.withNul}'`),
  {
    // No sum for a Secret that has too many keys anyway.
    expression: `(${keys[0]} > ${keysPerScope} && ${keys[0]} > ${keys[1]}) || ${bytes[0]} <= ${scopeBytes} || ${shrinks(bytes, keys)}`,
    messageExpression: `'data: the values would have ' + string(${bytes[0]}) + ' bytes together and may have at most ${scopeBytes}; they have ' + string(${bytes[1]}) + ' now'`,
    reason: "Invalid",
  },
];

/** Checks the Secrets of scopes against the limits of secrets. */
export function secretScopePolicy(): PolicySource {
  const isScope = `has(object.metadata.labels) && '${labels.secretScope}' in object.metadata.labels`;
  const isUnchanged =
    "request.operation == 'UPDATE' && has(oldObject.metadata.labels) && object.metadata.labels == oldObject.metadata.labels && has(object.data) == has(oldObject.data) && (!has(object.data) || object.data == oldObject.data)";
  return {
    name: "secret-scopes",
    operations: ["CREATE", "UPDATE"],
    apiGroup: "",
    version: "v1",
    resources: ["secrets"],
    selector: { matchExpressions: [{ key: labels.secretScope, operator: "Exists" }] },
    conditions: [
      // A Secret that loses its scope label still matches the selector by its old labels.
      { name: "is-a-scope", expression: isScope },
      { name: "is-changed", expression: `!(${isUnchanged})` },
    ],
    variables,
    validations,
  };
}
