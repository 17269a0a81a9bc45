import { z } from "zod";

/** Texts by name, where users choose the names: unlike `z.record`, it keeps the name `__proto__`. */
export const TextMap = z.custom<Record<string, string>>(isTextMap, { message: "must be an object of texts" });

function isTextMap(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((text) => typeof text === "string");
}
