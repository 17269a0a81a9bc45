import type { Integration, Repository } from "../../api/v1alpha1/index.ts";
import type { Secret } from "../../kube/core-resources.ts";

/** A Secret that an Integration names, and its copy in a private namespace. */
export interface CopiedSecret {
  source: Secret | undefined;
  copy: Secret | undefined;
}

/** Everything that was observed for one Integration. */
export interface IntegrationFacts {
  integration: Integration;
  signing: CopiedSecret;
  credentials: CopiedSecret;
  /** Those of its namespace. */
  repositories: readonly Repository[];
}

/** Where copies are kept. */
export interface Places {
  keysNamespace: string;
  tokensNamespace: string;
}
