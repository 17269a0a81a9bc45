import type { StructuralSchema } from "./structural-schema.ts";

/** The type of a field in words. */
export function typeOf(schema: StructuralSchema): string {
  const { type, items, additionalProperties, format } = schema;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (items) return `list (${schema["x-kubernetes-list-type"] ?? "atomic"}) of ${typeOf(items)}`;
  if (additionalProperties) return `map of ${typeOf(additionalProperties)}`;
  if (format === "date-time") return "time (RFC 3339)";
  return type ?? "any scalar";
}

/** The limits of a field in words; empty where it has none. */
export function limitsOf(schema: StructuralSchema): string {
  if (schema.enum ?? schema.format === "date-time") return "";
  const limits = [
    range(schema.minLength, schema.maxLength, "characters"),
    range(schema.minItems, schema.maxItems, "entries"),
    range(undefined, schema.maxProperties, "entries"),
    range(schema.minimum, schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum, ""),
    schema.multipleOf === undefined ? "" : `multiple of ${figure(schema.multipleOf)}`,
    schema.pattern === undefined ? "" : `matches \`${schema.pattern}\``,
    schema.items ? limitsOf(schema.items).replace(/^(?=.)/, "each ") : "",
  ];
  return limits.filter((limit) => limit !== "").join("; ");
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return "";
  if (most === undefined) return `at least ${figure(least ?? 0)} ${unit}`.trim();
  if (least === undefined) return `at most ${figure(most)} ${unit}`.trim();
  return `${figure(least)} to ${figure(most)} ${unit}`.trim();
}

function figure(value: number): string {
  return value.toLocaleString("en-US");
}
