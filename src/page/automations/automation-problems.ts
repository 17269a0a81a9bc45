import { cronProblem } from "../../api/v1alpha1/schedule-cron.ts";
import { timeZoneOf } from "../../lib/time-zone.ts";
import { formLimits, mostFilters } from "../generated/form-limits.ts";
import { optionalProblem, textProblem } from "../parts/text-problem.ts";
import type { AutomationForm } from "./automation-manifest.ts";

/** Why the API server would refuse fields of the form; those that it takes are left out. */
export type AutomationProblems = Partial<Record<Exclude<keyof AutomationForm, "type">, string>>;

/** What the API server would refuse, but for rights, which only it knows. Each filter has its own problem beside this. */
export function automationProblems(form: AutomationForm): AutomationProblems {
  const found: Record<keyof AutomationProblems, string | undefined> = {
    name: textProblem(formLimits.objectName, form.name),
    namespace: optionalProblem(formLimits.objectName, form.namespace),
    displayName: optionalProblem(formLimits.displayName, form.displayName),
    instructions: textProblem(formLimits.instructions, form.instructions),
    repository: optionalProblem(formLimits.repository, form.repository),
    serviceAccountName: textProblem(formLimits.serviceAccountName, form.serviceAccountName),
    ...scheduleProblems(form),
    filters: filtersProblem(form),
  };
  return Object.fromEntries(Object.entries(found).filter(([, problem]) => problem !== undefined));
}

function scheduleProblems({ type, cron, timeZone }: AutomationForm): Record<"cron" | "timeZone", string | undefined> {
  if (type !== "Schedule") return { cron: undefined, timeZone: undefined };
  return {
    cron: textProblem(formLimits.cron, cron) ?? cronProblem(cron),
    timeZone: optionalProblem(formLimits.timeZone, timeZone) ?? unknownZone(timeZone),
  };
}

function unknownZone(timeZone: string): string | undefined {
  if (timeZone === "" || timeZoneOf(timeZone)) return undefined;
  return "must be a time zone that the tz database knows, such as Europe/Paris";
}

function filtersProblem({ type, filters }: AutomationForm): string | undefined {
  if (type !== "Webhook" || filters.length <= mostFilters) return undefined;
  return `must be at most ${mostFilters} filters, and are ${filters.length}`;
}
