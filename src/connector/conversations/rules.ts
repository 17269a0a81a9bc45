import type { IntegrationEvent } from "../../api/v1alpha1/index.ts";
import { githubRules } from "../github/rules.ts";
import { linearRules } from "../linear/rules.ts";
import { slackRules } from "../slack/rules.ts";
import type { ProviderRules } from "./provider-rules.ts";

/** The rules of the provider that sent an event. */
export function rulesOf({ spec }: IntegrationEvent): ProviderRules {
  if (spec.github) return githubRules;
  return spec.slack ? slackRules : linearRules;
}
