import { parse } from "content-type";

import { Refusal } from "../domain/deliveries/refusal.ts";

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/**
 * One parameter, perhaps an empty one, with the white space behind it. The library takes the first of repeated
 * parameters and skips malformed ones, so each is checked here, from where the one before it ended.
 */
const parameter = new RegExp(`;[ \\t]*(?:${token}=(?:${token}|"(?:[^"\\\\]|\\\\.)*")[ \\t]*)?`, "y");
/** JSON, and formats that are written in it, such as CloudEvents. */
const jsonType = new RegExp(`^application/(?:json|${token}\\+json)$`);

/** Characters of a Content-Type; parsing one costs more the longer it is, and it comes before any proof. */
const longestContentType = 256;

/** The headers that describe the body. */
interface BodyHeaders {
  "content-type"?: string | undefined;
  "content-encoding"?: string | undefined;
}

/** Requires the headers to declare uncompressed JSON in UTF-8. @throws Refusal `UnsupportedMediaType` */
export function requireJson(headers: BodyHeaders): void {
  if (!isUncompressed(headers["content-encoding"] ?? "")) {
    throw unsupported("A compressed body is not taken; switch compression off at the sender");
  }
  const { "content-type": contentType } = headers;
  // The value that nearly every sender uses.
  if (contentType !== "application/json") requireJsonType(contentType ?? "");
}

/** Some senders say that nothing was done to the body. */
function isUncompressed(contentEncoding: string): boolean {
  return contentEncoding === "" || contentEncoding.toLowerCase() === "identity";
}

function requireJsonType(contentType: string): void {
  if (contentType.length > longestContentType) {
    throw unsupported(`Content-Type has ${contentType.length} characters; at most ${longestContentType} are taken`);
  }
  const { type, index } = parse(contentType, { parameters: false });
  if (!jsonType.test(type) || !/^a/i.test(contentType)) throw notJson();
  for (let at = index; at < contentType.length; at = parameter.lastIndex) {
    parameter.lastIndex = at;
    const [text] = parameter.exec(contentType) ?? [];
    if (text === undefined) throw notJson();
    const { charset = "utf-8" } = parse(text).parameters;
    // ASCII is UTF-8 as well.
    if (!/^(?:utf[-_]?8|(?:us-)?ascii)$/i.test(charset)) throw unsupported("The charset of Content-Type must be utf-8");
  }
}

function notJson(): Refusal {
  return unsupported("Content-Type must be application/json, or another type of application that ends in +json");
}

function unsupported(message: string): Refusal {
  return new Refusal({ code: "UnsupportedMediaType", message });
}
