import type { KubeObject } from "../lib/resource.ts";

/**
 * The JSON form of a client-node type: that library's models hold `Date`s, the wire and our caches hold RFC 3339
 * strings.
 */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T;

/** A client-node object type as this project handles it: JSON values, and metadata that is always there. */
export type WireObject<T extends object> = Omit<Wire<T>, "metadata" | "apiVersion" | "kind"> & KubeObject;
