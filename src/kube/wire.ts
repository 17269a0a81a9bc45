import type { KubeObject } from "../lib/resource.ts";

/**
 * The JSON form of a client-node type: that library's models hold `Date`s, the wire and our caches hold RFC 3339
 * strings; and it writes `_from` for `from`.
 */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Key in keyof T as Key extends "_from" ? "from" : Key]: Wire<T[Key]> }
      : T;

/** A client-node object type as this project handles it: JSON values, and metadata that is always there. */
export type WireObject<T extends object> = Omit<Wire<T>, "metadata" | "apiVersion" | "kind"> & KubeObject;
