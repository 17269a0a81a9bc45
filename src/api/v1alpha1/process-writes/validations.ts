import { celList } from "../schema.ts";
import { isForeign, type Rule } from "./rules.ts";
import { metadataFields, type Write } from "./write.ts";

/** CEL that must be true, and what is wrong where it is not. */
export interface Requirement {
  expression: string;
  message: string;
}

interface Place {
  /** CEL for the value. */
  at: string;
  /** As people read it; empty for the object. */
  shown: string;
  /** Members that are maps to which other people's policies may add. */
  shared?: readonly string[] | undefined;
  /** It is such a map. */
  isShared?: boolean | undefined;
}

/**
 * Other people's policies label and annotate every object, and what they add changes nothing of what rules protect. Annotations
 * of these kinds do: they give rights in clouds, or have other programs copy what is secret.
 */
export const plainKinds: ReadonlySet<string> = new Set([
  "secrets",
  "configmaps",
  "serviceaccounts",
  "roles",
  "rolebindings",
]);

function metadataOf({ resource }: Pick<Write, "resource">): Place {
  const shared = plainKinds.has(resource) ? ["labels"] : ["labels", "annotations"];
  return { at: "object.metadata", shown: "metadata", shared };
}

/** Members that every object has, and the status, which the API server keeps from those who may not write it. */
const envelope = ["apiVersion", "kind", "metadata", "status"];

/** All that an admission policy has to ask of one write by a process of this name. */
export function requirementsOf(process: string, write: Write): Requirement[] {
  const asked = write.operation === "CREATE" ? createdAs(process, write) : changedAs(process, write);
  return [...asked, ...(write.also ?? [])];
}

function createdAs(process: string, write: Write): Requirement[] {
  const { metadata = {}, fields } = write;
  const place = metadataOf(write);
  const unset = metadataFields.filter((field) => metadata[field] === undefined);
  const isUnset = unset.map((field) => isUnsetAt(childOf(place, field))).join(" && ");
  // Rules about other members may read labels that the first ones demand.
  return [
    ...childrenOf(place, metadata, process),
    ...demand(isUnset, `metadata: the ${process} may ${neither("set", unset)}`),
    ...within({ at: "object", shown: "" }, fields, process),
  ];
}

/** CEL: whether there is nothing of ours at a place. */
function isUnsetAt({ at, isShared }: Place): string {
  return isShared ? `(!has(${at}) || ${at}.all(key, ${isForeign("key")}))` : `!has(${at})`;
}

/** The members of a map that is created, each by its rule, and that there are no others. */
function within(place: Place, of: Readonly<Record<string, Rule>>, process: string): Requirement[] {
  const names = Object.keys(of);
  const allowed = place.shown === "" ? [...envelope, ...names] : names;
  return [
    {
      expression: `dyn(${place.at}).all(key, key in ${celList(allowed)}${place.isShared ? ` || ${isForeign("key")}` : ""})`,
      message: sentence(place, `the ${process} may set ${listed(names)}`),
    },
    ...childrenOf(place, of, process),
  ];
}

function childrenOf(place: Place, of: Readonly<Record<string, Rule>>, process: string): Requirement[] {
  return Object.entries(of).flatMap(([name, rule]) => {
    const child = childOf(place, name);
    const isThere = isSet(place.at, name);
    const inner = heldAt(child, rule, process).map(({ expression, message }) => ({
      expression: rule.required ? `${isThere} && (${expression})` : `!(${isThere}) || (${expression})`,
      message,
    }));
    if (inner.length > 0 || !rule.required) return inner;
    return [{ expression: isThere, message: `${child.shown}: the ${process} must set it` }];
  });
}

function heldAt(place: Place, rule: Rule, process: string): Requirement[] {
  switch (rule.kind) {
    case "free":
      return [];
    case "holds":
      return [{ expression: rule.cel(place.at), message: `${place.shown}: ${rule.says}` }];
    case "members":
      return rule.open ? childrenOf(place, rule.of, process) : within(place, rule.of, process);
    case "items": {
      // Each list has a variable of its own, as lists lie within lists.
      const item = `item${place.shown.split("[]").length}`;
      return heldAt({ at: item, shown: `${place.shown}[]` }, rule.of, process).map(({ expression, message }) => ({
        expression: `${place.at}.all(${item}, ${expression})`,
        message,
      }));
    }
  }
}

function changedAs(process: string, write: Write): Requirement[] {
  const { metadata = {}, fields, resource } = write;
  const place = metadataOf(write);
  // By this subresource of ours the API server lets nothing else change.
  if (resource.endsWith("/status")) return changesOfMembers({ at: "object", shown: "" }, fields, process);
  const { name, ...chosen } = metadata;
  const kept = metadataFields.filter((field) => metadata[field] === undefined);
  const isKept = kept.map((field) =>
    isSharedIn(place, field) ? areMembersKept(childOf(place, field), []) : isUnchanged(field),
  );
  return [
    ...changesWithin({ at: "object", shown: "" }, fields, process),
    ...(name ? childrenOf(place, { name }, process) : []),
    ...changesOfMembers(place, chosen, process),
    ...demand(isKept.join(" && "), `metadata: the ${process} may ${neither("change", kept)}`),
  ];
}

/** That of a map's members these alone have changed, each by its rule. */
function changesWithin(place: Place, of: Readonly<Record<string, Rule>>, process: string): Requirement[] {
  const names = Object.keys(of);
  return [
    {
      expression: areMembersKept(place, place.shown === "" ? [...envelope, ...names] : names),
      message: sentence(place, `the ${process} may change ${listed(names)}`),
    },
    ...changesOfMembers(place, of, process),
  ];
}

/** CEL: whether all members of a map but these are as before; to one that is shared others may have added theirs. */
function areMembersKept(place: Place, names: readonly string[]): string {
  const free = celList(names);
  const [now, before] = [mapAt(place.at), mapAt(formerly(place.at))];
  const isAdded = place.isShared ? ` || (!(key in ${before}) && ${isForeign("key")})` : "";
  return (
    `${now}.all(key, key in ${free} || (key in ${before} && ${now}[key] == ${before}[key])${isAdded}) && ` +
    `${before}.all(key, key in ${free} || key in ${now})`
  );
}

function changesOfMembers(place: Place, of: Readonly<Record<string, Rule>>, process: string): Requirement[] {
  return Object.entries(of).flatMap(([name, rule]) => {
    if (rule.kind === "members" && !rule.open) return changesWithin(childOf(place, name), rule.of, process);
    return childrenOf(place, { [name]: rule }, process);
  });
}

function isUnchanged(field: string): string {
  return (
    `has(object.metadata.${field}) == has(oldObject.metadata.${field}) && ` +
    `(!has(object.metadata.${field}) || object.metadata.${field} == oldObject.metadata.${field})`
  );
}

/** CEL: the map at a path from the object, empty where there is none; `dyn` lets CEL read an object as a map. */
function mapAt(path: string): string {
  const steps = path.split(".");
  if (steps.length === 1) return `dyn(${path})`;
  const isThere = steps.slice(1).map((_, index) => `has(${steps.slice(0, index + 2).join(".")})`);
  return `(${isThere.join(" && ")} ? dyn(${path}) : dyn({}))`;
}

function formerly(path: string): string {
  return path.replace(/^object/, "oldObject");
}

function isSet(at: string, name: string): string {
  return isIdentifier(name) ? `has(${at}.${name})` : `'${name}' in ${at}`;
}

function childOf(place: Place, name: string): Place {
  const { at, shown } = place;
  if (!isIdentifier(name)) return { at: `${at}['${name}']`, shown: `${shown}[${name}]` };
  const isShared = isSharedIn(place, name);
  return { at: `${at}.${name}`, shown: shown === "" ? name : `${shown}.${name}`, isShared };
}

function isSharedIn({ shared = [] }: Place, name: string): boolean {
  return shared.includes(name);
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z]\w*$/.test(name);
}

function sentence({ shown }: Place, text: string): string {
  return shown === "" ? text : `${shown}: ${text}`;
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return "nothing";
  return `${names.length === 1 ? "" : `${names.slice(0, -1).join(", ")} and `}${names.at(-1) ?? ""} only`;
}

function neither(verb: string, fields: readonly string[]): string {
  return fields.length === 1 ? `not ${verb} ${fields.join("")}` : `${verb} neither ${fields.join(" nor ")}`;
}

function demand(expression: string, message: string): Requirement[] {
  return expression === "" ? [] : [{ expression, message }];
}
