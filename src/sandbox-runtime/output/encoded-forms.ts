import { Buffer } from "node:buffer";

/** In bytes of UTF-8. Of a longer value, base64 that is broken into lines is looked for only so far. */
export const longestBroken = 4_096;
/** Characters of a form at least, so that no word is redacted. */
const shortestForm = 10;
/** Columns after which `base64` and `openssl base64` break their lines. */
const columns = [76, 64];

/**
 * What a value becomes in base64, as part of any longer text, in both alphabets, and in URLs. Of a secret of 8 bytes there are at most 24
 * forms, of any other fewer than 512.
 */
export function encodedForms(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const base64 = [0, 1, 2].flatMap((shift) => alignedAt(bytes, shift));
  const whole = bytes.subarray(0, longestBroken).toString("base64").replace(/=+$/, "");
  const broken = columns.flatMap((width) => (whole.length > width ? cutEach(whole, width) : []));
  const forms = [...base64, ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")), ...broken];
  return [...new Set([...forms.filter(({ length }) => length >= shortestForm), ...urlForms(value)])];
}

/**
 * The characters that say nothing of what is before and behind, where so many bytes of a group of three are before; and those with the
 * last character that the value's end has a part in, where nothing is behind.
 */
function alignedAt(bytes: Buffer, shift: number): string[] {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString("base64")
    .replace(/=+$/, "");
  const from = Math.ceil((shift * 8) / 6);
  const until = Math.floor(((shift + bytes.length) * 8) / 6);
  return [encoded.slice(from, until), encoded.slice(from)];
}

function cutEach(text: string, width: number): string[] {
  return Array.from({ length: Math.ceil(text.length / width) }, (_, line) =>
    text.slice(line * width, (line + 1) * width),
  );
}

/** As browsers, forms, Python and those encode who leave nothing out; with escapes of either letter case. */
function urlForms(value: string): string[] {
  const component = encodeURIComponent(value.toWellFormed());
  const strict = component.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = strict.replaceAll("%20", "+").replaceAll("~", "%7E").replaceAll("%2A", "*");
  const upper = [component, strict, form, component.replaceAll("%2F", "/"), strict.replaceAll("%2F", "/")];
  const lower = upper.map((text) => text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()));
  return [...upper, ...lower].filter((text) => text !== value);
}
