import { reasonMeanings } from "./reason-meanings.ts";

export type Reason = keyof typeof reasonMeanings;

const names = Object.keys(reasonMeanings).map((reason) => [reason.charAt(0).toLowerCase() + reason.slice(1), reason]);

/** Reasons of conditions and events, such as `hookFailed`; {@link reasonMeanings} says what each means. */
export const reasons = Object.fromEntries(names) as { readonly [R in Reason as Uncapitalize<R>]: R };
