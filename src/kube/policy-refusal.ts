import { KubeError } from "./errors.ts";

/** The refusal of a write by a ValidatingAdmissionPolicy. */
export interface PolicyRefusal {
  /** Name of the policy. */
  policy: string;
  /** What the policy says: the field, and what is wrong with it. */
  message: string;
}

const denial = /ValidatingAdmissionPolicy '([^']+)' with binding '[^']+' denied request: ([\s\S]*)$/;

/** The refusal, where an admission policy refused the write. */
export function policyRefusalOf(error: unknown): PolicyRefusal | undefined {
  if (!(error instanceof KubeError) || (error.status !== 403 && error.status !== 422)) return undefined;
  const [, policy, message] = denial.exec(error.message) ?? [];
  return policy === undefined || message === undefined ? undefined : { policy, message };
}

interface Release {
  name: string;
  namespace: string;
}

/** The refusal, where one of the policies that the chart installs with a release refused the write. */
export function ownRefusalOf(release: Release, error: unknown): PolicyRefusal | undefined {
  const refusal = policyRefusalOf(error);
  return refusal && isPolicyOf(release, refusal) ? refusal : undefined;
}

/** Whether a policy is one of those that the chart installs with a release. */
export function isPolicyOf({ name, namespace }: Release, { policy }: PolicyRefusal): boolean {
  return policy.startsWith(`${namespace}-${name}-`);
}
