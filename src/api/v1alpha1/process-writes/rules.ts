import type { z } from "zod";

import { group } from "../kind.ts";
import { celList } from "../schema.ts";

/** What may be written at one place of an object. */
export type Rule = (
  | { kind: "free" }
  /** `cel` judges the value at a place; `says` goes on after the place's name: `must be …`. */
  | { kind: "holds"; cel: (at: string) => string; says: string }
  /** These members of a map, and others only where it is `open`. */
  | { kind: "members"; of: Readonly<Record<string, Rule>>; open?: true }
  /** A list whose items all are so. */
  | { kind: "items"; of: Rule }
) & { required?: true };

/** Anything. */
export const free: Rule = { kind: "free" };

export function holds(cel: (at: string) => string, says: string): Rule {
  return { kind: "holds", cel, says };
}

export function members(of: Readonly<Record<string, Rule>>): Rule {
  return { kind: "members", of };
}

/** A map of which these members are limited, and no others. */
export function among(of: Readonly<Record<string, Rule>>): Rule {
  return { kind: "members", of, open: true };
}

export function items(of: Rule): Rule {
  return { kind: "items", of };
}

/** A map whose members of these names are free. */
export function only(...names: readonly string[]): Rule {
  return members(Object.fromEntries(names.map((name) => [name, free])));
}

/** A map that has the members of a schema, all of them free. */
export function allOf(schema: z.ZodObject): Rule {
  return only(...Object.keys(schema.shape));
}

/** Must be there when an object is created. */
export function must(rule: Rule): Rule {
  return { ...rule, required: true };
}

export function oneOf(...values: readonly string[]): Rule {
  const says = values.length === 1 ? `must be ${values.join("")}` : `must be one of ${values.join(", ")}`;
  return holds((at) => `${at} in ${celList(values)}`, says);
}

export const isFalse: Rule = holds((at) => `!${at}`, "must not be true");
export const isTrue: Rule = holds((at) => at, "must be true");
/** What the API server writes where nothing is set. */
export const isEmpty: Rule = holds((at) => `${at} == null || size(${at}) == 0`, "must not be set");

/** CEL: whether a list of references holds one alone, to that kind of ours; another API group may have a kind of the same name. */
function isOneOwner(at: string, kind: string, apiVersion: string): string {
  return `size(${at}) == 1 && ${at}[0].kind == '${kind}' && ${apiVersion}`;
}

/** One owner of this kind of ours; `also` is CEL about the reference. */
export function oneOwner(kind: string, says: string, also?: (reference: string) => string): Rule {
  return must(
    holds((at) => {
      const isOurs = isOneOwner(at, kind, `${at}[0].apiVersion.startsWith('${group}/')`);
      return also ? `${isOurs} && ${also(`${at}[0]`)}` : isOurs;
    }, says),
  );
}

/** One owner of a kind of Kubernetes' core. */
export function oneCoreOwner(kind: string): Rule {
  return holds((at) => isOneOwner(at, kind, `${at}[0].apiVersion == 'v1'`), `must name one ${kind} and nothing else`);
}

/** Domains of labels and annotations that mean something to us or to Kubernetes. */
const ownDomains = ["kubernetes.io", "k8s.io", group].map((domain) => domain.replaceAll(".", "[.]")).join("|");

/** CEL: whether a label or annotation is other people's; those that Kubernetes recommends for applications mean nothing to it. */
export function isForeign(key: string): string {
  return `(${key}.startsWith('app.kubernetes.io/') || !${key}.matches('^([^/]*[.])?(${ownDomains})/'))`;
}

/** Labels with these values, as CEL, and none else but other people's. */
export function labelled(values: Readonly<Record<string, string>>): (at: string) => string {
  const names = Object.keys(values);
  return (at) => {
    const isSet = Object.entries(values).map(([name, cel]) => `'${name}' in ${at} && ${at}['${name}'] == ${cel}`);
    return `${at}.all(key, key in ${celList(names)} || ${isForeign("key")}) && ${isSet.join(" && ")}`;
  };
}
