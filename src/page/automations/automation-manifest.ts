import { manifestText } from "../parts/manifest-text.ts";
import { filterOf, type TypedFilter } from "./filter-value.ts";

/** A new automation in a form. */
export interface AutomationForm {
  name: string;
  namespace: string;
  displayName: string;
  instructions: string;
  repository: string;
  serviceAccountName: string;
  type: "Webhook" | "Schedule" | "Manual";
  cron: string;
  timeZone: string;
  filters: readonly TypedFilter[];
}

/** The manifest for Git. */
export function automationManifest(form: AutomationForm): string {
  const { name, namespace, displayName, instructions, repository, serviceAccountName } = form;
  return manifestText({
    apiVersion: "runwright.dev/v1alpha1",
    kind: "Automation",
    metadata: { name, ...(namespace !== "" && { namespace }) },
    spec: {
      ...(displayName !== "" && { displayName }),
      instructions,
      ...(repository !== "" && { targets: [{ repositoryRef: { name: repository } }] }),
      serviceAccountName,
      trigger: triggerOf(form),
    },
  });
}

function triggerOf({ type, cron, timeZone, filters }: AutomationForm): object {
  if (type === "Webhook") return { type, webhook: { filters: filters.map(filterOf) } };
  if (type === "Schedule") return { type, schedule: { cron, ...(timeZone !== "" && { timeZone }) } };
  return { type };
}
