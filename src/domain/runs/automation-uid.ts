import { labels } from "../../api/v1alpha1/names.ts";
import type { Run } from "../../api/v1alpha1/run.ts";

/** The UID of the automation that the Run was made for; undefined for a person's Run that has no label yet. */
export function automationUidOf({ metadata, spec }: Run): string | undefined {
  return spec.automationRef.uid ?? metadata.labels?.[labels.automationUid];
}
