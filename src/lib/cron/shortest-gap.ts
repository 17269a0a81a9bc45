import type { Cron } from "./cron.ts";

const minutesADay = 1_440;

/** The two slots with the shortest distance, as wall-clock times such as `20:58`. */
export interface Gap {
  minutes: number;
  from: string;
  to: string;
}

/**
 * The shortest distance between two slots, from all times of day that the expression selects. It assumes that selected
 * days are consecutive, so the last slot of a day and the first of the next always count as neighbours.
 */
export function shortestGap({ hours, minutes }: Cron): Gap {
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  const gaps = times.map((from, index) => {
    const to = times[index + 1] ?? (times[0] ?? 0) + minutesADay;
    return { minutes: to - from, from: shown(from), to: shown(to) };
  });
  return gaps.reduce((shortest, gap) => (gap.minutes < shortest.minutes ? gap : shortest));
}

function shown(minuteOfDay: number): string {
  const [hour, minute] = [Math.floor(minuteOfDay / 60) % 24, minuteOfDay % 60];
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}
