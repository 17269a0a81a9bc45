import type fc from "fast-check";

/** What must hold for every input of one parser. */
export interface NamedProperty {
  name: string;
  property: fc.IProperty<unknown>;
}

/** No parser works longer on the largest input that it can get: far above what one takes, far below a hang. */
const mostMs = 2_000;

/** Throws when the work takes so long that a sender could hold up all others with it. */
export function bounded<T>(work: () => T): T {
  const startMs = performance.now();
  const result = work();
  const tookMs = performance.now() - startMs;
  if (tookMs > mostMs) throw new Error(`it took ${Math.round(tookMs)} ms`);
  return result;
}

/** What a parser made of its input: a value, or its own kind of refusal. All else that it throws goes through. */
export function outcomeOf<T>(parse: () => T, isRefusal: (error: unknown) => boolean): { value: T } | "refused" {
  try {
    return { value: bounded(parse) };
  } catch (error) {
    if (isRefusal(error)) return "refused";
    throw error;
  }
}
