/** A rule of a policy; the message is CEL where it names what was found. */
export type Validation = { expression: string; reason: "Forbidden" | "Invalid" } & (
  { message: string } | { messageExpression: string }
);

/** An admission policy in so far as policies differ. */
export interface PolicySource {
  name: string;
  operations: readonly ("CREATE" | "UPDATE")[];
  /** Left out: our own. */
  apiGroup?: string;
  /** Of the group; left out: our own. */
  version?: string;
  resources: readonly string[];
  /** Objects that are judged, before or after the change; left out: all. */
  selector?: object;
  /** The policy judges requests for which all of these hold. */
  conditions: readonly { name: string; expression: string }[];
  variables?: readonly { name: string; expression: string }[];
  validations: readonly Validation[];
}
