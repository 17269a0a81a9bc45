import { bodyProperties } from "./bodies.ts";
import { cronProperties } from "./crons.ts";
import { headerProperties } from "./headers.ts";
import { pathProperties } from "./paths.ts";
import { signatureProperties } from "./signatures.ts";

/** What holds of everything that reads text of people and senders. */
export const properties = [
  ...bodyProperties,
  ...headerProperties,
  ...signatureProperties,
  ...pathProperties,
  ...cronProperties,
];
