import type { PolicyScope, PolicySource } from "./policy-source.ts";

type Condition = PolicySource["conditions"][number];

/** Applies only when the spec changes, so that metadata of objects that an older policy admitted can change. */
export const specChanges: Condition = {
  name: "spec-changes",
  expression: "request.operation == 'CREATE' || object.spec != oldObject.spec",
};

/** Excludes our own processes, which check the rights of the user they act for. */
export function isNotOurs(users: PolicyScope["users"]): Condition {
  return {
    name: "is-not-ours",
    expression: `!(request.userInfo.username in ['${users.controller}', '${users.gateway}', '${users.connector}'])`,
  };
}

/** CEL: whether the field of the spec is set; each step is tested, as CEL fails on a missing parent. */
export function isThere(path: string): string {
  const steps = path.split(".");
  return steps.map((_, index) => `has(object.spec.${steps.slice(0, index + 1).join(".")})`).join(" && ");
}
