import { matching, text } from "./schema.ts";

/** The name of an HTTP header, in any case. */
export const HeaderName = matching(
  text(128).min(1),
  /^[A-Za-z0-9][A-Za-z0-9_-]*$/,
  "must be the name of an HTTP header: letters, digits, '-' and '_'",
);
