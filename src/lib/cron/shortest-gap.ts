import type { Cron } from "./cron.ts";
import { haveNeighbours } from "./neighbouring-days.ts";

const minutesADay = 1_440;

/** The two slots with the shortest distance, as wall-clock times such as `20:58`. */
export interface Gap {
  minutes: number;
  from: string;
  to: string;
}

/**
 * The shortest distance between two slots, by the wall clock; undefined where all are more than a day apart. The last slot of
 * a day and the first of the next count where the expression selects a day and the one after it, in whatever year.
 */
export function shortestGap(cron: Cron): Gap | undefined {
  const times = cron.hours.flatMap((hour) => cron.minutes.map((minute) => hour * 60 + minute));
  const tomorrow = haveNeighbours(cron) ? [(times[0] ?? 0) + minutesADay] : [];
  const [first = 0, ...later] = [...times, ...tomorrow];
  const gaps = later.map((to, index) => {
    const from = times[index] ?? first;
    return { minutes: to - from, from: shown(from), to: shown(to) };
  });
  const [shortest] = gaps.sort((one, other) => one.minutes - other.minutes);
  return shortest;
}

function shown(minuteOfDay: number): string {
  const [hour, minute] = [Math.floor(minuteOfDay / 60) % 24, minuteOfDay % 60];
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}
