import { KubeError } from "../../../src/kube/errors.ts";

/** The KubeError that a call fails with; throws when it succeeds or fails otherwise. */
export async function failureOf(promise: Promise<unknown>): Promise<KubeError> {
  const error: unknown = await promise.then(
    () => "no failure",
    (failure: unknown) => failure,
  );
  if (error instanceof KubeError) return error;
  throw new Error(`expected a KubeError, had ${String(error)}`);
}
