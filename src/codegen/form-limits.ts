import { Automation, LabelName, SecretKey, SecretName } from "../api/v1alpha1/index.ts";
import { structuralSchema, type StructuralSchema } from "./structural-schema.ts";

/** What the page's forms say of a text; a rule has a pattern that it must match, or a text that it must not be. */
interface TextLimits {
  minLength: number;
  maxLength: number;
  rules: ({ pattern: string; message: string } | { not: string; message: string })[];
}

/** A text that people type into a form. */
interface Source {
  schema: StructuralSchema;
  /** Messages of rules that the page's own code judges; true for all. */
  judged?: true | readonly string[];
}

const spec = structuralSchema(Automation.spec, "spec");

function fieldOf(path: string): StructuralSchema {
  return path.split(".").reduce((node, step) => {
    const child = step === "[]" ? node.items : node.properties?.[step];
    if (!child) throw new Error(`spec.${path} has no field ${step}`);
    return child;
  }, spec);
}

const sources: Readonly<Record<string, Source>> = {
  objectName: { schema: structuralSchema(LabelName, "name") },
  displayName: { schema: fieldOf("displayName") },
  instructions: { schema: fieldOf("instructions") },
  repository: { schema: fieldOf("targets.[].repositoryRef.name") },
  serviceAccountName: { schema: fieldOf("serviceAccountName") },
  cron: { schema: fieldOf("trigger.schedule.cron"), judged: true },
  timeZone: {
    schema: fieldOf("trigger.schedule.timeZone"),
    judged: ["must be a time zone that the tz database knows, such as Europe/Paris"],
  },
  filterPath: { schema: fieldOf("trigger.webhook.filters.[].path") },
  secretName: { schema: structuralSchema(SecretName, "name") },
  secretKey: { schema: structuralSchema(SecretKey, "key") },
};

/** The limits of texts in the page's forms, so that the page needs no schemas. */
export function formLimitsModule(): string {
  const limits = Object.entries(sources).map(([name, source]) => [name, textLimits(name, source)]);
  const filters = fieldOf("trigger.webhook.filters").maxItems;
  return `/** Generated from the schemas by \`npm run generate\`; never edited by hand. */

import type { TextLimits } from "../parts/text-problem.ts";

export const formLimits = ${JSON.stringify(Object.fromEntries(limits), undefined, 2)} satisfies Record<string, TextLimits>;

/** Filters of one webhook. */
export const mostFilters = ${String(filters)};
`;
}

/** @throws Error for a rule that it cannot write and the page does not judge, so that none is lost */
export function textLimits(name: string, { schema, judged = [] }: Source): TextLimits {
  const { minLength = 0, maxLength, "x-kubernetes-validations": validations = [] } = schema;
  if (maxLength === undefined) throw new Error(`${name} is a text without a longest length`);
  if (judged === true) return { minLength, maxLength, rules: [] };
  const unknown = judged.find((message) => !validations.some((rule) => rule.message === message));
  if (unknown !== undefined) throw new Error(`${name} has no rule ${JSON.stringify(unknown)}`);
  const rules = validations
    .filter(({ message }) => !judged.includes(message))
    .map(({ rule, message }) => {
      const pattern = /^self\.matches\(r'(.*)'\)$/s.exec(rule)?.[1];
      if (pattern !== undefined) return { pattern: new RegExp(pattern, "u").source, message };
      const not = /^self != '([^']*)'$/.exec(rule)?.[1];
      if (not !== undefined) return { not, message };
      throw new Error(`the page cannot judge ${name} by ${rule}`);
    });
  return { minLength, maxLength, rules };
}
