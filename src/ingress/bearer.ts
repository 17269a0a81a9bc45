import { Refusal } from "../domain/deliveries/refusal.ts";

/**
 * Reads the key of `Authorization: Bearer <key>`; the scheme is case-insensitive, and any text after it is a key, though
 * seldom the right one. @throws Refusal `MissingKey`
 */
export function bearerKey(authorization: string | undefined): string {
  const key = /^bearer +(\S.*)$/is.exec(authorization ?? "")?.[1];
  if (key !== undefined) return key;
  throw new Refusal({ code: "MissingKey", message: "Missing API key; send it as Authorization: Bearer <key>" });
}
