import type { Integration } from "../api/v1alpha1/index.ts";
import type { ProviderError } from "./provider-error.ts";
import type { SeenScopes } from "./slack/missing-scopes.ts";

/** How one call of a provider ended. */
export interface CallEnd {
  /** Its name in metrics. */
  operation: string;
  /** Undefined where it succeeded. */
  error?: ProviderError | undefined;
  /** It needs only a part of what the Integration says of its App or bot, so its success does not show that the rest is right. */
  needsLess?: boolean | undefined;
  /** What Slack says of the app's scopes. */
  scopes?: SeenScopes | undefined;
}

/** Learns how each call of a provider ended. */
export interface CallObserver {
  called(integration: Integration, end: CallEnd): void;
}
