import { Refusal } from "../domain/deliveries/refusal.ts";

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaType = new RegExp(`^(${token}/${token})[ \\t]*`);
/**
 * One parameter, perhaps an empty one, with the white space behind it. Read one after the other from where the last one
 * ended: in a single expression the white space between two of them could be split in many ways, and a header of some
 * dozen semicolons would be tried in millions.
 */
const parameter = new RegExp(`;[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*)?`, "y");

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
  const [whole = "", type] = mediaType.exec(contentType) ?? [];
  if (type?.toLowerCase() !== "application/json") throw notJson();
  for (let at = whole.length; at < contentType.length; at = parameter.lastIndex) {
    parameter.lastIndex = at;
    const found = parameter.exec(contentType);
    if (!found) throw notJson();
    const [, name = "", plain, quoted] = found;
    if (name.toLowerCase() === "charset") requireUtf8(plain ?? quoted);
  }
}

function requireUtf8(charset: string | undefined): void {
  if (charset?.toLowerCase() !== "utf-8") throw unsupported("The charset of Content-Type must be utf-8");
}

function notJson(): Refusal {
  return unsupported("Content-Type must be application/json");
}

function unsupported(message: string): Refusal {
  return new Refusal({ code: "UnsupportedMediaType", message });
}
