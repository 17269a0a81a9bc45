import { automationsMeanings } from "./reason-meanings/automations.ts";
import { imagesMeanings } from "./reason-meanings/images.ts";
import { integrationsMeanings } from "./reason-meanings/integrations.ts";
import { workMeanings } from "./reason-meanings/work.ts";

export type { FailureOrigin, ReasonMeaning } from "./reason-meanings/meaning.ts";

/** All reasons of conditions and events, in the order of the reference page; their names are the type of all reasons. */
export const reasonMeanings = {
  ...workMeanings,
  ...automationsMeanings,
  ...integrationsMeanings,
  ...imagesMeanings,
} as const;
