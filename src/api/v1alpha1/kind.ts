import { z } from "zod";
import type { KubeObject, Resource } from "../../lib/resource.ts";
import { group, version } from "./group.ts";
import { dnsLabel, dnsLabelMessage, type TransitionRule } from "./schema.ts";

export { apiVersion, group, version } from "./group.ts";

/** A column of `kubectl get`; priority 1 shows with `-o wide` only. */
export interface PrinterColumn {
  name: string;
  type: "string" | "integer" | "date" | "boolean" | "number";
  jsonPath: string;
  description: string;
  priority?: number;
}

/** Definition of a kind: source of its CRD, types, parser and reference page. */
export interface KindSource<Spec extends z.ZodType, Status extends z.ZodType> {
  kind: string;
  plural: string;
  shortNames: readonly string[];
  namespaced: boolean;
  description: string;
  spec: Spec;
  /** Left out by kinds without a wanted state to observe. */
  status?: Status;
  /** Our processes alone write it; people read and delete it. A kind without a status is one, too. */
  isRecord?: boolean;
  columns: readonly PrinterColumn[];
  /** JSON paths of what `kubectl scale` and autoscalers read and write; left out: it has no scale. */
  scale?: { wanted: string; observed: string; selector: string };
  /** JSON paths of fields for field selectors, such as `.spec.sessionRef.name`. */
  selectableFields?: readonly string[];
  /** Left out: {@link nameRule}. */
  nameRule?: TransitionRule;
  /** Rules at the object's root besides that of its name. */
  rules?: readonly TransitionRule[];
}

export type ObjectOf<Spec extends z.ZodType, Status extends z.ZodType = z.ZodNever> = KubeObject & {
  spec: z.output<Spec>;
  status?: z.output<Status> | undefined;
};

export interface Kind<Spec extends z.ZodType = z.ZodType, Status extends z.ZodType = z.ZodType>
  extends KindSource<Spec, Status>, Resource<ObjectOf<Spec, Status>> {
  readonly rules: readonly TransitionRule[];
  /** Parses the spec; the API server validates metadata. */
  readonly schema: z.ZodObject<{ spec: Spec }>;
}

/** Names are used in labels and host names, which allow no more. */
export const nameRule: TransitionRule = {
  cel: `self.metadata.name.size() <= 63 && self.metadata.name.matches('${dnsLabel.source}')`,
  fieldPath: ".metadata.name",
  message: dnsLabelMessage,
};

/** A column of texts, unless it has another type. */
export function column(
  name: string,
  jsonPath: string,
  description: string,
  rest: Partial<Pick<PrinterColumn, "type" | "priority">> = {},
): PrinterColumn {
  return { name, type: "string", jsonPath, description, ...rest };
}

/** A column that shows a condition's status, reason or, with `-o wide`, message. */
export function conditionColumn(name: string, type: string, field: "status" | "reason" | "message"): PrinterColumn {
  const jsonPath = `.status.conditions[?(@.type=='${type}')].${field}`;
  return column(name, jsonPath, `The ${field} of condition ${type}.`, field === "message" ? { priority: 1 } : {});
}

export const ageColumn = column("Age", ".metadata.creationTimestamp", "Time since creation.", { type: "date" });

export function defineKind<Spec extends z.ZodType, Status extends z.ZodType = z.ZodNever>(
  source: KindSource<Spec, Status>,
): Kind<Spec, Status> {
  return {
    ...source,
    group,
    version,
    rules: [source.nameRule ?? nameRule, ...(source.rules ?? [])],
    schema: z.object({ spec: source.spec }),
  };
}
