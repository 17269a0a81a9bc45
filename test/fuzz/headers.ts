import fc from "fast-check";

import { Refusal, type RefusalCode } from "../../src/domain/deliveries/refusal.ts";
import { bearerKey } from "../../src/ingress/bearer.ts";
import { requireJson } from "../../src/ingress/media-type.ts";
import { type NamedProperty, outcomeOf } from "./property.ts";

const tokenCharacters = "!#$%&'*+-.^_`|~0123456789abcxyzABCXYZ";
const token = fc.string({ unit: fc.constantFrom(...Array.from(tokenCharacters)), minLength: 1, maxLength: 12 });
const space = fc.string({ unit: fc.constantFrom(" ", "\t"), maxLength: 3 });
const quoted = fc
  .string({ unit: fc.constantFrom("a", " ", ";", "=", "/", '\\"', "\\\\"), maxLength: 8 })
  .map((text) => `"${text}"`);
const utf8 = fc.constantFrom("utf-8", "UTF-8", "utf8", "UTF_8", '"utf-8"', '"Utf-8"');
const parameter = fc.oneof(
  fc.constant(""),
  fc
    .tuple(
      token.filter((name) => name.toLowerCase() !== "charset"),
      fc.oneof(token, quoted),
    )
    .map(([name, value]) => `${name}=${value}`),
  fc.tuple(fc.constantFrom("charset", "Charset"), utf8).map(([name, value]) => `${name}=${value}`),
);
const typed = fc.oneof(
  fc.constantFrom("application/json", "Application/JSON", "APPLICATION/json"),
  fc.tuple(token, fc.constantFrom("+json", "+JSON")).map(([format, end]) => `application/${format}${end}`),
);

/** Every header value that says JSON in UTF-8. */
const jsonType = fc
  .tuple(typed, fc.array(fc.tuple(space, space, parameter), { maxLength: 60 }), space)
  .map(([type, parameters, end]) => {
    return type + parameters.map(([before, after, one]) => `${before};${after}${one}`).join("") + end;
  });

/** What tries a parser's patience: long runs of what may be read in more than one way, and an end that spoils it. */
const tiresome = fc
  .tuple(
    fc.constantFrom("application/json", "application/json;", "application/a+json", "a/b", ""),
    fc.constantFrom("; ", ";", " ", "\t ;", ";a=b ", ';a="', "a=", '\\"', ";a"),
    fc.nat(4_000),
    fc.constantFrom("@", "", '"', ";", "charset=latin1"),
  )
  .map(([start, middle, count, end]) => start + middle.repeat(count) + end);

const refusedAs =
  (code: RefusalCode) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code;
const isUnsupported = refusedAs("UnsupportedMediaType");

function takesType(contentType: string): boolean {
  return outcomeOf(() => requireJson({ "content-type": contentType }), isUnsupported) !== "refused";
}

export const headerProperties: readonly NamedProperty[] = [
  { name: "every way to say JSON in UTF-8 is taken", property: fc.property(jsonType, takesType) },
  {
    name: "what is spoilt at its end is refused",
    property: fc.property(
      jsonType,
      fc.constantFrom("@", "(", ";x", ';a="', "; charset=latin1"),
      (type, end) => !takesType(type + end),
    ),
  },
  {
    name: "any text is taken or refused, and soon",
    property: fc.property(fc.oneof(fc.string({ unit: "binary" }), tiresome), (text) => {
      const isTaken = takesType(text);
      return !isTaken || /^application\/([^ \t;,]+\+)?json[ \t]*(;|$)/i.test(text);
    }),
  },
  {
    name: "a key is what stands behind Bearer, as it is",
    property: fc.property(
      fc.oneof(
        fc.string(),
        fc
          .tuple(
            fc.constantFrom("Bearer", "bearer", "BEARER", "Basic", ""),
            fc.constantFrom("", " ", "   ", "\t"),
            fc.base64String(),
          )
          .map((parts) => parts.join("")),
        tiresome.map((text) => `Bearer ${text}`),
      ),
      (text) => {
        return bearerKey(text) === keyBehindBearer(text);
      },
    ),
  },
];

/** The same word by word. */
function keyBehindBearer(text: string): string | undefined {
  const at = text.indexOf(" ");
  if (at < 0 || text.slice(0, at).toLowerCase() !== "bearer") return undefined;
  let key = text.slice(at);
  while (key.startsWith(" ")) key = key.slice(1);
  return key === "" || key.slice(0, 1).trim() === "" ? undefined : key;
}
