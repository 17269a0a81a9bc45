import { LinearDocument } from "@linear/sdk";
import {
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  type VariableDefinitionNode,
} from "graphql";

/** What the SDK's own documents select below a field, and with which arguments. */
interface Known {
  arguments: Map<string, string>;
  fields: Map<string, Known>;
}

const byRootField = new Map<string, string[]>();
for (const document of Object.values(LinearDocument as Record<string, unknown>)) {
  const text = document instanceof String ? document.toString() : "";
  const [, root] = /^\s*(?:query|mutation) [^{]*\{\s*(\w+)/.exec(text) ?? [];
  if (root !== undefined) byRootField.set(root, [...(byRootField.get(root) ?? []), text]);
}

const known = new Map<string, Known>();

/** Everything that the SDK's documents ask of a root field, merged. */
function knownOf(root: string): Known | undefined {
  const found = known.get(root);
  if (found) return found;
  const texts = byRootField.get(root);
  if (!texts) return undefined;
  const merged: Known = { arguments: new Map(), fields: new Map() };
  for (const text of texts) {
    const { definitions } = parse(text);
    const fragments = new Map(
      definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one.selectionSet]] : [])),
    );
    for (const one of definitions) {
      if (one.kind !== Kind.OPERATION_DEFINITION) continue;
      merge(merged, one.selectionSet.selections[0] as FieldNode, { fragments, types: typesOf(one) });
    }
  }
  known.set(root, merged);
  return merged;
}

interface Scope {
  fragments: ReadonlyMap<string, SelectionSetNode>;
  types: ReadonlyMap<string, string>;
}

function typesOf({ variableDefinitions = [] }: OperationDefinitionNode): Map<string, string> {
  return new Map(variableDefinitions.map((one: VariableDefinitionNode) => [one.variable.name.value, print(one.type)]));
}

function merge(into: Known, field: FieldNode, scope: Scope): void {
  for (const { name, value } of field.arguments ?? []) {
    const type = value.kind === Kind.VARIABLE ? (scope.types.get(value.name.value) ?? "") : "";
    into.arguments.set(name.value, type);
  }
  if (field.selectionSet) mergeSet(into, field.selectionSet, scope);
}

function mergeSet(into: Known, { selections }: SelectionSetNode, scope: Scope): void {
  for (const selection of selections) {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const set = scope.fragments.get(selection.name.value);
      if (set) mergeSet(into, set, scope);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) mergeSet(into, selection.selectionSet, scope);
    else {
      const below = into.fields.get(selection.name.value) ?? { arguments: new Map(), fields: new Map() };
      into.fields.set(selection.name.value, below);
      merge(below, selection, scope);
    }
  }
}

/** What of a request the SDK's own documents never ask for; undefined where they ask for all of it. */
export function notInDocuments(text: string): string | undefined {
  const { definitions } = parse(text);
  const [operation] = definitions;
  if (definitions.length !== 1 || operation?.kind !== Kind.OPERATION_DEFINITION) return "one operation is wanted";
  const types = typesOf(operation);
  for (const selection of operation.selectionSet.selections) {
    if (selection.kind !== Kind.FIELD) return "fragments are not understood here";
    const root = selection.name.value;
    const below = knownOf(root);
    if (!below) return `there is no ${operation.operation} ${root}`;
    const problem = differenceOf(selection, below, types, root);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function differenceOf(
  field: FieldNode,
  below: Known,
  types: ReadonlyMap<string, string>,
  path: string,
): string | undefined {
  for (const { name, value } of field.arguments ?? []) {
    const wanted = below.arguments.get(name.value);
    if (wanted === undefined) return `${path} has no argument ${name.value}`;
    const given = value.kind === Kind.VARIABLE ? types.get(value.name.value) : undefined;
    if (given !== undefined && wanted !== "" && given !== wanted)
      return `${path}(${name.value}) is ${wanted}, not ${given}`;
  }
  for (const selection of field.selectionSet?.selections ?? []) {
    if (selection.kind !== Kind.FIELD) return "fragments are not understood here";
    const next = below.fields.get(selection.name.value);
    if (!next) return `${path} has no field ${selection.name.value}`;
    const problem = differenceOf(selection, next, types, `${path}.${selection.name.value}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
