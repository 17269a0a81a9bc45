const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A part of a window: whole days, whole hours, or less than an hour at its edge. */
export interface Piece {
  of: "day" | "hour" | "edge";
  fromMs: number;
  untilMs: number;
}

/** Divides a window into as many whole days as fit, then hours, then what is left at its edges. */
export function piecesOf(fromMs: number, untilMs: number): Piece[] {
  const hours = wholeIn(fromMs, untilMs, hourMs);
  const days = wholeIn(hours.fromMs, hours.untilMs, dayMs);
  const pieces: Piece[] = [
    { of: "edge", fromMs, untilMs: hours.fromMs },
    { of: "hour", fromMs: hours.fromMs, untilMs: days.fromMs },
    { of: "day", ...days },
    { of: "hour", fromMs: days.untilMs, untilMs: hours.untilMs },
    { of: "edge", fromMs: hours.untilMs, untilMs },
  ];
  return pieces.filter((piece) => piece.fromMs < piece.untilMs);
}

/** The whole spans in a window; where there is none, nothing at its end. */
function wholeIn(fromMs: number, untilMs: number, spanMs: number): { fromMs: number; untilMs: number } {
  const first = Math.ceil(fromMs / spanMs) * spanMs;
  const last = Math.floor(untilMs / spanMs) * spanMs;
  return first < last ? { fromMs: first, untilMs: last } : { fromMs: untilMs, untilMs };
}
