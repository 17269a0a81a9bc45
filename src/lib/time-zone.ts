/** A time zone, by the tz data of this process. */
export interface TimeZone {
  /** Milliseconds that its wall clocks are ahead of UTC at an instant in milliseconds since 1970. */
  offsetMs(atMs: number): number;
}

const isAscii = /^[\x21-\x7e]*$/;
const longOffset = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** The zone of an IANA name; undefined for a name that this process' tz data does not know. */
export function timeZoneOf(name: string): TimeZone | undefined {
  const format = formatOf(name);
  if (!format) return undefined;
  return {
    offsetMs(atMs) {
      const [, sign, hours, minutes, seconds] = longOffset.exec(format.format(atMs)) ?? [];
      const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0);
      return (sign === "-" ? -size : size) * 1_000;
    },
  };
}

/** By name in lower case, so that there are never more of them than tz data has names and offsets. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** A format of its own costs about 50 µs, and schedules ask for theirs at each look. */
function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const key = timeZone.toLowerCase();
  const known = formats.get(key);
  // Names are ASCII, but some other characters become ASCII in lower case.
  if (known && isAscii.test(timeZone)) return known;
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    formats.set(key, format);
    return format;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
