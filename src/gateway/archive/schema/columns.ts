import { firstCharacters } from "../../../lib/characters.ts";

/**
 * What the values of a column are: a `name` finds, joins and groups rows, a `text` is read by people, a `json` by programs.
 * `Value` is their type.
 */
interface Column<Value extends string | number | null = string | number | null> {
  kind: "name" | "text" | "json" | "number";
  isOptional: boolean;
  /** Of the type alone; never set. */
  value?: Value;
}

export const name: Column<string> = { kind: "name", isOptional: false };
export const nameOrNull: Column<string | null> = { kind: "name", isOptional: true };
export const text: Column<string> = { kind: "text", isOptional: false };
export const textOrNull: Column<string | null> = { kind: "text", isOptional: true };
export const jsonOrNull: Column<string | null> = { kind: "json", isOptional: true };
export const number: Column<number> = { kind: "number", isOptional: false };
export const numberOrNull: Column<number | null> = { kind: "number", isOptional: true };

type Columns = Readonly<Record<string, Column>>;

/** A row of a table with these columns. */
export type RowOf<Of extends Columns> = {
  [Name in keyof Of]: Of[Name] extends Column<infer Value> ? Value : never;
};

/**
 * Characters that are kept. An entry of an index of PostgreSQL has 2,704 bytes at most, and some have two names. Of JSON all
 * is kept or nothing: more than 20 pushes of the greatest length have.
 */
const longest = { name: 256, text: 1_000, json: 65_536 };

/** The row as any engine can store it, whatever agents, senders and tenants wrote into what it is made of. */
export function storable<Of extends Columns>(columns: Of, row: RowOf<Of>): RowOf<Of> {
  const kept = Object.entries(columns).map(([column, of]) => [column, storableValue(of, row[column])]);
  // It has the columns that the row has.
  return Object.fromEntries(kept) as RowOf<Of>;
}

/** PostgreSQL takes neither NUL nor half of a surrogate pair. */
function storableValue<Value>({ kind, isOptional }: Column, value: Value): Value | string | null {
  if (kind === "number" || typeof value !== "string") return value;
  const clean = value.replaceAll("\0", "").toWellFormed();
  const kept = firstCharacters(clean, longest[kind]);
  if (kind === "json" && kept !== clean) return null;
  return kept === "" && isOptional ? null : kept;
}
