import type { Autofix } from "../../api/v1alpha1/index.ts";
import { mergeSettings } from "../settings/merge.ts";

/** Attempts that a pull request may have in 24 hours. */
export type AttemptCap = number | "Unlimited";

export interface EffectiveAutofix {
  enabled: boolean;
  reviewsEnabled: boolean;
  pullRequestCommentsEnabled: boolean;
  ownReviewsEnabled: boolean;
  allowedReviewBots: readonly string[];
  cap: AttemptCap;
}

/** Autofix is off until a person turns it on. */
const usual: { [Name in keyof Autofix]-?: Exclude<Autofix[Name], undefined> } = {
  mode: "Disabled",
  reviews: "Enabled",
  pullRequestComments: "Enabled",
  ownReviews: "Enabled",
  allowedReviewBots: [],
  attempts: "Limited",
  maxAttemptsPer24Hours: 30,
};

/** Settings field by field: the strongest scope that has a field decides it. */
export function effectiveAutofix(weakestFirst: readonly (Autofix | undefined)[]): EffectiveAutofix {
  const merged = { ...usual, ...mergeSettings(weakestFirst) };
  return {
    enabled: merged.mode === "Enabled",
    reviewsEnabled: merged.reviews === "Enabled",
    pullRequestCommentsEnabled: merged.pullRequestComments === "Enabled",
    ownReviewsEnabled: merged.ownReviews === "Enabled",
    allowedReviewBots: merged.allowedReviewBots,
    cap: merged.attempts === "Unlimited" ? "Unlimited" : merged.maxAttemptsPer24Hours,
  };
}
