import { Refusal } from "../domain/deliveries/index.ts";

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameter = `[ \\t]*;[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?`;
const mediaType = new RegExp(`^(${token}/${token})((?:${parameter})*)[ \\t]*$`);
const everyParameter = new RegExp(parameter, "g");

/** The headers that say what a body is. */
interface BodyHeaders {
  "content-type"?: string | undefined;
  "content-encoding"?: string | undefined;
}

/** Refuses what does not say that it is plain JSON in UTF-8. */
export function requireJson(headers: BodyHeaders): void {
  if (headers["content-encoding"] !== undefined) {
    throw unsupported("Content-Encoding is not supported; send the body as it is");
  }
  const { "content-type": contentType } = headers;
  // What nearly every sender writes.
  if (contentType !== "application/json") requireJsonType(contentType ?? "");
}

function requireJsonType(contentType: string): void {
  const [, type, parameters = ""] = mediaType.exec(contentType) ?? [];
  if (type?.toLowerCase() !== "application/json") throw unsupported("Content-Type must be application/json");
  for (const [, name = "", plain, quoted] of parameters.matchAll(everyParameter)) {
    if (name.toLowerCase() === "charset") requireUtf8(plain ?? quoted);
  }
}

function requireUtf8(charset: string | undefined): void {
  if (charset?.toLowerCase() !== "utf-8") throw unsupported("The charset of Content-Type must be utf-8");
}

function unsupported(message: string): Refusal {
  return new Refusal({ code: "UnsupportedMediaType", message });
}
