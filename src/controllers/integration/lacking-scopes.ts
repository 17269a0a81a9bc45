import { type Integration, type Reason, reasonMeanings, reasons } from "../../api/v1alpha1/index.ts";

/** What the app of an Integration lacks, in a sentence that says what to do; undefined where it has all that was needed. */
export function lackingScopes({ status }: Integration): { reason: Reason; message: string } | undefined {
  const missing = status?.slack?.missingScopes ?? [];
  if (missing.length === 0) return undefined;
  const names = missing.join(" and ");
  const message = `The app lacks ${names}, so Slack refuses what needs ${missing.length === 1 ? "that scope" : "those scopes"}. ${reasonMeanings.ScopeMissing.remedy}`;
  return { reason: reasons.scopeMissing, message };
}
