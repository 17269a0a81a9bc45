import { z } from "zod";

/** One node of a CRD's structural schema, as far as our kinds use it. */
export interface StructuralSchema {
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  description?: string;
  properties?: Record<string, StructuralSchema>;
  required?: string[];
  items?: StructuralSchema;
  additionalProperties?: StructuralSchema;
  default?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-preserve-unknown-fields"?: true;
  "x-kubernetes-validations"?: ValidationRule[];
}

/** One CEL rule of a structural schema. */
export interface ValidationRule {
  rule: string;
  message: string;
  reason?: string;
  fieldPath?: string;
}

type Node = Readonly<Record<string, unknown>>;

/** What is copied as it is, in the order in which it is written. */
const copied = [
  "description",
  "type",
  "format",
  "enum",
  "default",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "maxProperties",
  "required",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
] as const;
const walked = ["items", "additionalProperties", "properties"] as const;
const known: ReadonlySet<string> = new Set([...copied, ...walked]);
const preserved = "x-kubernetes-preserve-unknown-fields";
const largestInt32 = 2_147_483_647;

/**
 * Turns a schema of ours into what the API server takes as a structural schema. Throws with the field's path when it
 * says something that a structural schema cannot hold, so that no rule is lost on the way.
 */
export function structuralSchema(schema: z.ZodType, path: string): StructuralSchema {
  refuseWhatIsLost(schema, path);
  return reshape(z.toJSONSchema(schema, { target: "openapi-3.0", io: "input", unrepresentable: "throw" }), path);
}

/** The form that is reshaped says nothing of transforms and of bounds on a map's keys; this one does. */
function refuseWhatIsLost(schema: z.ZodType, path: string): void {
  z.toJSONSchema(schema, {
    io: "output",
    unrepresentable: "throw",
    override: ({ jsonSchema: { propertyNames }, path: steps }) => {
      const bounds = Object.keys(propertyNames ?? {}).filter((key) => key !== "type");
      if (bounds.length === 0) return;
      const field = [path, ...steps.filter((step) => step !== "properties")].join(".");
      throw new Error(`${field} bounds its keys by ${bounds.join(", ")}; say that in a rule`);
    },
  });
}

function reshape(node: Node, path: string): StructuralSchema {
  if (node[preserved] === true) return untyped(node, path);
  if (typeof node.type !== "string") throw new Error(`${path} has no type: ${Object.keys(node).join(", ")}`);
  const unknown = Object.keys(node).find((key) => !known.has(key));
  if (unknown !== undefined) throw new Error(`${path} says ${unknown}, which a structural schema cannot hold`);
  const own = Object.fromEntries(copied.filter((key) => key in node).map((key) => [key, node[key]]));
  const below = children(node, path);
  return { ...own, ...integer(node, path), ...filledDefault(node, below), ...below };
}

/** The API server judges a default by the rules as it is written, before the defaults below it are filled in. */
function filledDefault(node: Node, { properties = {} }: StructuralSchema): StructuralSchema {
  if (!isNode(node.default) || Array.isArray(node.default)) return {};
  const below = Object.entries(properties).filter(([, property]) => property.default !== undefined);
  return {
    default: { ...Object.fromEntries(below.map(([name, property]) => [name, property.default])), ...node.default },
  };
}

/** A field of any scalar type: the API server stores it unseen, so its type is judged by the admission policy. */
function untyped(node: Node, path: string): StructuralSchema {
  if (typeof node.description !== "string") throw new Error(`${path} has no description`);
  return { description: node.description, [preserved]: true };
}

function integer(node: Node, path: string): StructuralSchema {
  if (node.type !== "integer") return {};
  const { minimum, maximum } = node;
  if (typeof minimum !== "number" || typeof maximum !== "number" || minimum === Number.MIN_SAFE_INTEGER) {
    throw new Error(`${path} is an integer without bounds`);
  }
  return { format: maximum > largestInt32 ? "int64" : "int32" };
}

function children(node: Node, path: string): StructuralSchema {
  const { items, additionalProperties, properties } = node;
  if (additionalProperties === false)
    throw new Error(`${path} is a strict object, which a structural schema cannot be`);
  return {
    ...(isNode(items) ? { items: reshape(items, `${path}[]`) } : {}),
    ...(isNode(additionalProperties) ? { additionalProperties: reshape(additionalProperties, `${path}.*`) } : {}),
    ...(isNode(properties) ? { properties: reshapeAll(properties, path) } : {}),
  };
}

function reshapeAll(properties: Node, path: string): Record<string, StructuralSchema> {
  const reshaped = Object.entries(properties).map(([name, property]): [string, StructuralSchema] => {
    if (!isNode(property)) throw new Error(`${path}.${name} is no schema`);
    return [name, reshape(property, `${path}.${name}`)];
  });
  return Object.fromEntries(reshaped);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}
