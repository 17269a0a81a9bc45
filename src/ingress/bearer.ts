import { Refusal } from "../domain/deliveries/refusal.ts";

/**
 * The key of `Authorization: Bearer <key>`; the scheme is case-insensitive, and any text after it is a key, though seldom
 * the right one. Undefined where there is none.
 */
export function bearerKey(authorization: string | undefined): string | undefined {
  return /^bearer +(\S.*)$/is.exec(authorization ?? "")?.[1];
}

/** The refusal of a request without any key. */
export function missingKey(): Refusal {
  return new Refusal({ code: "MissingKey", message: "Missing API key; send it as Authorization: Bearer <key>" });
}
