import { Refusal, unavailable } from "../../domain/deliveries/refusal.ts";
import { KubeError } from "../../kube/errors.ts";

/** The refusal for a failed read of the API server; its cause is one of a closed set. */
export function readFailure(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (!(error instanceof KubeError)) return unavailable("bug", error);
  if (error.reason === "Timeout") return unavailable("read-timeout", error);
  if (error.status === 0) return unavailable("read-no-answer", error);
  return unavailable(error.status === 429 ? "read-throttled" : "read-refused", error);
}
