import { parse } from "content-type";

import { Refusal } from "../domain/deliveries/refusal.ts";

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/**
 * One parameter, perhaps an empty one, with the white space behind it. The library takes the first of repeated
 * parameters and skips malformed ones, so each is checked here, from where the one before it ended.
 */
const parameter = new RegExp(`;[ \\t]*(?:${token}=(?:${token}|"(?:[^"\\\\]|\\\\.)*")[ \\t]*)?`, "y");

/** The headers that describe the body. */
interface BodyHeaders {
  "content-type"?: string | undefined;
  "content-encoding"?: string | undefined;
}

/** Requires the headers to declare uncompressed JSON in UTF-8. @throws Refusal `UnsupportedMediaType` */
export function requireJson(headers: BodyHeaders): void {
  if (headers["content-encoding"] !== undefined) {
    throw unsupported("Content-Encoding is not supported; send the body as it is");
  }
  const { "content-type": contentType } = headers;
  // The value that nearly every sender uses.
  if (contentType !== "application/json") requireJsonType(contentType ?? "");
}

function requireJsonType(contentType: string): void {
  const { type, index } = parse(contentType, { parameters: false });
  if (type !== "application/json" || !/^a/i.test(contentType)) throw notJson();
  for (let at = index; at < contentType.length; at = parameter.lastIndex) {
    parameter.lastIndex = at;
    const [text] = parameter.exec(contentType) ?? [];
    if (text === undefined) throw notJson();
    const { charset = "utf-8" } = parse(text).parameters;
    if (charset.toLowerCase() !== "utf-8") throw unsupported("The charset of Content-Type must be utf-8");
  }
}

function notJson(): Refusal {
  return unsupported("Content-Type must be application/json");
}

function unsupported(message: string): Refusal {
  return new Refusal({ code: "UnsupportedMediaType", message });
}
