import { IntervalError, parseScheduleCron } from "../../../../src/api/v1alpha1/schedule-cron.ts";
import { nextSlot, shortestIntervalMs } from "../../../../src/controllers/automation/slots/slots.ts";
import { CronError } from "../../../../src/lib/cron/field.ts";
import { timeZoneOf } from "../../../../src/lib/time-zone.ts";
import { bounded, outcomeOf } from "../../property.ts";
import { must, type Target } from "../target.ts";

const isRefusal = (error: unknown): boolean => error instanceof CronError || error instanceof IntervalError;
const after = new Date("2026-10-25T00:30:00.000Z");

/** What people write into schedules: the expression, and a time zone on the second line. */
export const scheduleTargets: readonly Target[] = [
  {
    name: "cron",
    seeds: [
      "30 3 * * MON-FRI\nEurope/Paris",
      "@daily\nUTC",
      "*/15 0-6/2 1,15 JAN *\nAustralia/Lord_Howe",
      "0 0 31 2 *",
    ],
    take(input) {
      const [text = "", zoneName = "UTC"] = input.toString("utf8").split("\n");
      const outcome = outcomeOf(() => parseScheduleCron(text), isRefusal);
      const zone = timeZoneOf(zoneName);
      if (outcome === "refused" || !zone) return;
      const first = bounded(() => nextSlot(outcome.value, zone, after));
      const second = first && bounded(() => nextSlot(outcome.value, zone, first));
      if (!first || !second) return;
      must(first > after && second.getTime() - first.getTime() >= shortestIntervalMs, "slots are 15 minutes apart");
    },
  },
];
