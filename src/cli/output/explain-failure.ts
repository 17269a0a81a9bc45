import { KubeError } from "../../kube/errors.ts";

/** What went wrong, and what the user can do about it. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const remedy = error instanceof KubeError ? remedyFor(error) : undefined;
  return remedy === undefined ? error.message : `${error.message}\n${remedy}`;
}

function remedyFor(error: KubeError): string | undefined {
  if (error.reason === "CredentialsUnavailable") {
    return "Check the files and programs that the kubeconfig names for its user and cluster, or choose another --context";
  }
  switch (error.status) {
    case 0:
      return "Check that the kubeconfig's cluster can be reached: kubectl cluster-info";
    case 401:
      return "Log in to the cluster again";
    case 403:
      return forbiddenRemedy(error);
    case 404:
      return notFoundRemedy(error);
    default:
      return undefined;
  }
}

function forbiddenRemedy(error: KubeError): string {
  if (error.message.includes("spec.serviceAccountName")) {
    return "Ask for the right to impersonate that ServiceAccount, as the role edit has: Runs of a changed Automation act with its permissions";
  }
  return "Ask for the role view (to look) or edit (to change) in that namespace; -A needs it cluster-wide";
}

function notFoundRemedy({ details }: KubeError): string | undefined {
  // The API server knows the kind but not the object; otherwise it does not know the kind.
  if (details?.name !== undefined) return undefined;
  return "The cluster does not know Runwright's kinds: install Runwright, or choose another --context";
}
