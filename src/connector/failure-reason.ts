import type { Reason } from "../api/v1alpha1/reasons.ts";
import type { ProviderError, ProviderFailure } from "./provider-error.ts";

const failureReasons = {
  credentials: "CredentialsRefused",
  throttled: "ProviderThrottled",
  unavailable: "ProviderUnavailable",
  refused: "ProviderUnavailable",
} as const satisfies Record<ProviderFailure, Reason>;

/** The reason by how a call failed. */
export function failureReasonOf({ failure, needsAuthorization }: ProviderError) {
  return needsAuthorization ? "AuthorizationNeeded" : failureReasons[failure];
}

/** Whether a reason says that the provider refuses the application, whatever it is asked for. */
export function isRefusal(reason: string | undefined): boolean {
  return reason === "CredentialsRefused" || reason === "AuthorizationNeeded";
}
