import { isUtf8 } from "node:buffer";

import fc from "fast-check";

import { idempotencyKeyOf, parsePayload } from "../../src/domain/deliveries/payload.ts";
import { Refusal } from "../../src/domain/deliveries/refusal.ts";
import { compileFilters } from "../../src/domain/filters/compile.ts";
import { deliveryPrompt } from "../../src/controllers/run/first-prompt/compose.ts";
import { type NamedProperty, outcomeOf } from "./property.ts";

const bom = Buffer.from([0xef, 0xbb, 0xbf]);
const json = fc.oneof(
  fc.json(),
  fc.json({ depthSize: "large" }),
  fc
    .dictionary(fc.constantFrom("idempotencyKey", "__proto__", "a", ""), fc.jsonValue())
    .map((value) => JSON.stringify(value)),
  fc.integer({ min: 1, max: 30_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc.integer({ min: 1, max: 10_000 }).map((depth) => '{"a":'.repeat(depth) + "1" + "}".repeat(depth)),
);

/** JSON with a byte changed, cut off or put in front, and bytes that are anything. */
const bodies = fc.oneof(
  json.map((text) => Buffer.from(text)),
  json.map((text) => Buffer.concat([bom, Buffer.from(text)])),
  fc.tuple(json, fc.nat(), fc.nat(255)).map(([text, at, byte]) => {
    const bytes = Buffer.from(text);
    if (bytes.length > 0) bytes[at % bytes.length] = byte;
    return bytes;
  }),
  fc.tuple(json, fc.nat()).map(([text, at]) => Buffer.from(text).subarray(0, at % (text.length + 1))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

const isInvalidPayload = (error: unknown): boolean => error instanceof Refusal && error.code === "InvalidPayload";

/** The text of a body by other means: Node's own check of UTF-8, and what is left without a byte order mark. */
function oracle(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const content = bytes.subarray(0, 3).equals(bom) ? bytes.subarray(3) : bytes;
  try {
    JSON.parse(content.toString("utf8"));
    return content.toString("utf8");
  } catch {
    return undefined;
  }
}

const filters = compileFilters([
  { path: "$.a.b", operator: "contains", value: "x" },
  { path: "$.__proto__", operator: "exists" },
]);

export const bodyProperties: readonly NamedProperty[] = [
  {
    name: "a body is valid UTF-8 and JSON, or refused",
    property: fc.property(bodies, (bytes) => {
      const outcome = outcomeOf(() => parsePayload(bytes), isInvalidPayload);
      return (outcome === "refused" ? undefined : outcome.value.text) === oracle(bytes);
    }),
  },
  {
    name: "an idempotency key is the non-empty string that stands at the top",
    property: fc.property(json, (text) => {
      const value: unknown = JSON.parse(text);
      const entries = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
      const [, wanted] = entries.find(([name]) => name === "idempotencyKey") ?? [];
      return idempotencyKeyOf(value) === (typeof wanted === "string" && wanted !== "" ? wanted : undefined);
    }),
  },
  {
    name: "filters and the prompt take any JSON",
    property: fc.property(json, (payload) => {
      const { value } = parsePayload(Buffer.from(payload));
      const match = outcomeOf(
        () => filters.firstMismatch(value) ?? filters.judgeAll(value),
        () => false,
      );
      const prompt = outcomeOf(
        () => deliveryPrompt("Do it.", { type: "Webhook", receivedAt: new Date(0), payload }),
        () => false,
      );
      return match !== "refused" && prompt !== "refused" && prompt.value.length < 30_000;
    }),
  },
];
