import { Refusal, unavailable } from "../../domain/deliveries/refusal.ts";
import { isRefused, KubeError } from "../../kube/errors.ts";

/** The refusal for a failed create; its cause is one of a closed set. */
export function createFailure(error: unknown): Refusal {
  if (!(error instanceof KubeError)) return unavailable("bug", error);
  if (isNamespaceGone(error)) {
    const message = "There is no webhook automation of this id";
    return new Refusal({ code: "NotFound", message, cause: "namespace-gone" });
  }
  if (isQuota(error)) return throttled("The namespace's quota has no room for another Run", "quota", error);
  if (error.status === 429) return throttled("The cluster takes no more Runs right now", "api-throttled", error);
  return isRefused(error) ? refusedPermanently(error) : unavailable(causeOf(error), error);
}

function causeOf({ status, reason }: KubeError): string {
  if (status === 0) return reason === "Timeout" ? "create-timeout" : "create-no-answer";
  if (status === 401 || status === 403) return "create-forbidden";
  if (status === 409) return "create-conflict";
  return status < 500 ? "create-refused" : "create-failed";
}

/** Deleted (404) or terminating (403 with this cause). */
function isNamespaceGone({ status, details }: KubeError): boolean {
  if (status === 404) return true;
  return status === 403 && (details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false);
}

/** Retries only succeed after an administrator changed something, so they are asked for at longer intervals. */
function refusedPermanently(error: KubeError): Refusal {
  const message = "The cluster refuses Runs in this namespace; ask its operator, naming the Runwright-Delivery-Id";
  return new Refusal({ code: "Unavailable", message, cause: causeOf(error), retryAfterSeconds: 60, error });
}

/** The API server has no reason of its own for an exceeded quota. */
function isQuota({ status, message }: KubeError): boolean {
  return status === 403 && message.includes("exceeded quota");
}

function throttled(message: string, cause: string, error: KubeError): Refusal {
  return new Refusal({ code: "Throttled", message, cause, retryAfterSeconds: error.retryAfterSeconds ?? 5, error });
}
