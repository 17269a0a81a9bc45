import { expect, it } from "vitest";

import type { Autofix } from "../../api/v1alpha1/index.ts";
import { effectiveAutofix, type EffectiveAutofix } from "./autofix-settings.ts";

const usual = effectiveAutofix([]);

it("is off, and takes all kinds of feedback 30 times in 24 hours, until settings say otherwise", () => {
  expect(usual).toEqual({
    enabled: false,
    reviewsEnabled: true,
    pullRequestCommentsEnabled: true,
    ownReviewsEnabled: true,
    allowedReviewBots: [],
    cap: 30,
  });
});

const ofIntegration: Autofix = { mode: "Enabled", maxAttemptsPer24Hours: 5, allowedReviewBots: ["reviewer"] };
const known: EffectiveAutofix = { ...usual, enabled: true, allowedReviewBots: ["reviewer"], cap: 5 };

it.each<{ name: string; ofRepository: Autofix | undefined; change: Partial<EffectiveAutofix> }>([
  { name: "nothing", ofRepository: undefined, change: {} },
  { name: "its mode alone", ofRepository: { mode: "Disabled" }, change: { enabled: false } },
  { name: "a cap left out", ofRepository: { maxAttemptsPer24Hours: undefined }, change: {} },
  { name: "another cap", ofRepository: { maxAttemptsPer24Hours: 6 }, change: { cap: 6 } },
  { name: "no cap", ofRepository: { attempts: "Unlimited" }, change: { cap: "Unlimited" } },
  { name: "reviews off", ofRepository: { reviews: "Disabled" }, change: { reviewsEnabled: false } },
  { name: "our reviews off", ofRepository: { ownReviews: "Disabled" }, change: { ownReviewsEnabled: false } },
  {
    name: "comments off",
    ofRepository: { pullRequestComments: "Disabled" },
    change: { pullRequestCommentsEnabled: false },
  },
  { name: "no bots", ofRepository: { allowedReviewBots: [] }, change: { allowedReviewBots: [] } },
])("a Repository with $name keeps the rest of the Integration's", ({ ofRepository, change }) => {
  expect(effectiveAutofix([ofIntegration, ofRepository])).toEqual({ ...known, ...change });
});

it("a Repository has the Integration's cap again where that has none", () => {
  const unlimited: Autofix = { attempts: "Unlimited", maxAttemptsPer24Hours: 7 };
  expect(effectiveAutofix([unlimited, { attempts: "Limited" }]).cap).toBe(7);
});
