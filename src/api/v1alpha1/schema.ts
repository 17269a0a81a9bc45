import { z } from "zod";

/** Error type of the API server: `Required value` or `Forbidden`. Its `Duplicate value` would drop our message. */
export type RuleReason = "FieldValueRequired" | "FieldValueForbidden";

/** A rule that only the API server checks, as it may compare with `oldSelf`. */
export interface TransitionRule {
  /** The problem and the limit; the API server prepends the field's path. */
  message: string;
  cel: string;
  /** Path of the field that the error names, relative to the schema, such as `.schedule`. */
  fieldPath?: string;
  /** Left out: `Invalid value`. */
  reason?: RuleReason;
}

/** One rule for both the API server (CEL) and our own parser. */
export interface Rule<T> extends TransitionRule {
  check: (value: T) => boolean;
}

/** Longest text of a person that an event keeps, in characters: as long as a prompt's. */
export const longestEventText = 64_000;

const validations = "x-kubernetes-validations";

function celRule({ cel, message, fieldPath, reason }: TransitionRule): Record<string, string> {
  return { rule: cel, message, ...(reason ? { reason } : {}), ...(fieldPath ? { fieldPath } : {}) };
}

function rulesOf(schema: z.ZodType): unknown[] {
  const known = schema.meta()?.[validations];
  return Array.isArray(known) ? known : [];
}

/** A list of texts in CEL; the texts must hold no quote. */
export function celList(texts: readonly string[]): string {
  return `[${texts.map((text) => `'${text}'`).join(", ")}]`;
}

/** Adds a CEL rule that compares with the stored object. */
export function withTransitionRule<S extends z.ZodType>(schema: S, rule: TransitionRule): S {
  return schema.meta({ ...schema.meta(), [validations]: [...rulesOf(schema), celRule(rule)] });
}

/** Adds a refinement with its CEL rule; may be used more than once on one schema. */
export function withRule<S extends z.ZodType>(schema: S, rule: Rule<z.output<S>>): S {
  const path = (rule.fieldPath ?? "").split(".").filter((step) => step !== "");
  return withTransitionRule(schema.refine(rule.check, { message: rule.message, path }), rule);
}

/** Adds several rules; all are checked, so that a user sees all problems at once. */
export function withRules<S extends z.ZodType>(schema: S, rules: readonly Rule<z.output<S>>[]): S {
  return rules.reduce((judged, rule) => withRule(judged, rule), schema);
}

/**
 * Requires a text to match a pattern, with a message in words where a plain `pattern` would show the expression. The
 * pattern must mean the same to JavaScript and RE2: no look-around, no flag but u, no `\s` (ASCII only in RE2).
 */
export function matching(schema: z.ZodString, pattern: RegExp, message: string): z.ZodString {
  const literal = pattern.source.replaceAll("\\/", "/");
  if (literal.includes("'")) throw new Error(`pattern ${literal} has a quote, which CEL's raw string cannot hold`);
  return withRule(schema, { message, cel: `self.matches(r'${literal}')`, check: (text) => pattern.test(text) });
}

/** Requires more than white space; white space beyond ASCII counts as text, as in RE2. */
export function notBlank(schema: z.ZodString): z.ZodString {
  return matching(schema, /[^ \t\n\v\f\r]/, "must not be blank");
}

/** A whole number from `min` to `max`. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): z.ZodInt {
  return z.int().min(min).max(max);
}

/** A text of at most `max` characters. */
export function text(max: number): z.ZodString {
  return z.string().max(max);
}

/** A UID of an object, as a spec names it: what the API server makes is a UUID, and tools compare it, store it and index it. */
export const Uid = text(64).regex(/^[A-Za-z0-9._-]*$/, "must have letters, digits, dots, hyphens and low lines alone");

const listType = "x-kubernetes-list-type";

/** A list that the API server replaces as a whole. */
export function atomicOf<S extends z.ZodArray>(schema: S): S {
  return schema.meta({ ...schema.meta(), [listType]: "atomic" });
}

/** A list that the API server merges as a set, so repeated entries are refused. */
export function setOf<S extends z.ZodType<readonly (string | number)[]>>(schema: S): S {
  return schema
    .refine((list) => new Set(list).size === list.length, { message: "entries must not repeat" })
    .meta({ ...schema.meta(), [listType]: "set" });
}

/** A list that the API server merges by one field of its entries, whose values must not repeat. */
export function mapOf<K extends string, S extends z.ZodType<readonly Record<K, string>[]>>(schema: S, key: K): S {
  return schema
    .refine((list) => new Set(list.map((entry) => entry[key])).size === list.length, {
      message: `entries must differ in ${key}`,
    })
    .meta({ ...schema.meta(), [listType]: "map", "x-kubernetes-list-map-keys": [key] });
}

/** A name of our objects: a DNS label, so that it fits labels, host names and derived names. */
export const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

export const dnsLabelMessage =
  "must be a DNS label of at most 63 characters: lower-case letters, digits and '-', starting and ending with a letter or digit";

const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The name of one of our objects: a DNS label of at most 63 characters. */
export const LabelName = matching(z.string().min(1).max(63), dnsLabel, dnsLabelMessage);

/** The name of an object of Kubernetes' own kinds, such as a Secret: a DNS subdomain of at most 253 characters. */
export const SubdomainName = matching(
  z.string().min(1).max(253),
  dnsSubdomain,
  "must be a DNS subdomain of at most 253 characters: lower-case letters, digits, '-' and '.', each part starting and ending with a letter or digit",
);

/** What an author needs a right to who names it in a spec. */
export type Guarded = "Secret" | "ServiceAccount" | "Agent";

const guarded = z.registry<{ what: Guarded }>();

/** A schema of what its author needs a right to: admission policies ask about each field of it, and of what is made from it. */
export function guardedAs<S extends z.ZodType>(schema: S, what: Guarded): S {
  const marked = schema.clone();
  guarded.add(marked, { what });
  return marked;
}

export function guardOf(schema: z.ZodType): Guarded | undefined {
  return guarded.get(schema)?.what;
}

/** The name of a Secret in the same namespace. */
export const SecretName = guardedAs(SubdomainName, "Secret");

/** Names a Secret in the same namespace; the description is that of the name. */
export function secretNamed(description: string): z.ZodObject<{ name: z.ZodString }> {
  return z.object({ name: SecretName.describe(description) });
}

/** A data key of a Secret. */
export const SecretKey = matching(
  z.string().min(1).max(253),
  /^[-._a-zA-Z0-9]+$/,
  "must be a Secret's data key: letters, digits, '-', '_' and '.'",
);

/** The ServiceAccount of sandboxes; never `default`, which other pods of the namespace use. */
export const ServiceAccountName = guardedAs(
  withRule(SubdomainName, {
    message: "must not be default: sandboxes run under a ServiceAccount of their own",
    cel: "self != 'default'",
    check: (name) => name !== "default",
    reason: "FieldValueForbidden",
  }),
  "ServiceAccount",
);

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

function isInstant(text: string): boolean {
  const [, year, month, day] = rfc3339.exec(text) ?? [];
  if (year === undefined) return false;
  // 30 February rolls over into March; the API server refuses it, so do we.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** An instant as the API server stores it, RFC 3339. */
export const Time = text(64)
  .refine(isInstant, { message: "must be an RFC 3339 instant such as 2026-05-04T10:15:00Z" })
  .meta({ format: "date-time" });

/** Names an object of a known kind in the same namespace. */
export const LocalReference = z
  .object({
    name: LabelName.describe("name is the object's name in the same namespace, at most 63 characters."),
  })
  .describe("LocalReference names an object in the same namespace.");
export type LocalReference = z.infer<typeof LocalReference>;

/** An amount of a resource, as Kubernetes writes it. */
export const Quantity = matching(
  text(32),
  /^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/,
  "must be a quantity such as 500m, 2 or 1Gi, written as a string",
);
