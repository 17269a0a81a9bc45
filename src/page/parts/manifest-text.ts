import { stringify } from "yaml";

/** A manifest as YAML, for kubectl, to which words such as `no` and `on` are truth values unless they are quoted. */
export function manifestText(object: object): string {
  return stringify(object, { lineWidth: 0, schema: "yaml-1.1" });
}
