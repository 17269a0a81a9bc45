import { z } from "zod";

/** A field of a schema, as a path from its root; `isWithin` lists and maps: there are any number of it. */
interface SchemaField {
  path: readonly string[];
  schema: z.ZodType;
  isWithin: boolean;
}

/** All fields of an object's schema, at any depth, each without what says that it may be left out. */
export function fieldsOf(schema: z.ZodType): SchemaField[] {
  return below({ path: [], schema: bare(schema), isWithin: false });
}

function below(field: SchemaField): SchemaField[] {
  return childrenOf(field).flatMap((child) => {
    const found = { ...child, schema: bare(child.schema) };
    return [found, ...below(found)];
  });
}

function childrenOf({ path, schema, isWithin }: SchemaField): SchemaField[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, child]) => {
      return { path: [...path, name], schema: child, isWithin };
    });
  }
  if (schema instanceof z.ZodArray) return [{ path, schema: schema.element as z.ZodType, isWithin: true }];
  if (schema instanceof z.ZodRecord) return [{ path, schema: schema.valueType as z.ZodType, isWithin: true }];
  if (schema instanceof z.ZodUnion) {
    return schema.options.map((option) => ({ path, schema: option as z.ZodType, isWithin }));
  }
  return [];
}

function bare(schema: z.ZodType): z.ZodType {
  const isWrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly;
  return isWrapped ? bare(schema.unwrap() as z.ZodType) : schema;
}
