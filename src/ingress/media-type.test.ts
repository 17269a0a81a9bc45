import { describe, expect, it } from "vitest";

import { Refusal } from "../domain/deliveries/refusal.ts";
import { requireJson } from "./media-type.ts";

/** What is said of a body with these headers: `taken`, or why it is refused. */
function judge(contentType: string | undefined, contentEncoding?: string): string {
  try {
    requireJson({ "content-type": contentType, "content-encoding": contentEncoding });
    return "taken";
  } catch (error) {
    if (error instanceof Refusal && error.code === "UnsupportedMediaType") return error.message;
    throw error;
  }
}

describe("a type is JSON", () => {
  it.each([
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "application/json; charset=utf8",
    "application/json; charset=UTF8",
    "application/json; charset=utf_8",
    'application/json; charset="utf8"',
    "application/json; charset=us-ascii",
    "application/json;charset=US-ASCII",
    "application/json; charset=ascii",
    "application/cloudevents+json; charset=utf-8",
    "application/cloudevents-batch+json",
    "Application/CloudEvents+JSON; charset=utf8",
    "application/vnd.example.v2+json; profile=a",
    "application/problem+json",
  ])("%s", (type) => {
    expect(judge(type)).toBe("taken");
  });
});

describe("a type is no JSON", () => {
  it.each([
    undefined,
    "",
    "text/json",
    "text/plain",
    "text/plain; x=application/json",
    "image/svg+json",
    "application/+json",
    "application/json+xml",
    "application/cloudevents+jsonl",
    "application/cloudevents+json+xml",
    "application/json, text/plain",
    "application/cloudevents+json, text/plain",
    "application/x+json/y",
    "application/x-www-form-urlencoded",
  ])("%s", (type) => {
    expect(judge(type)).toMatch(/^Content-Type must be application\/json/);
  });
});

it.each(["utf-16", "utf88", "utf--8", "xutf8", "latin1", "asciii", "us-ascii8", '"utf-8x"'])(
  "the charset %s is refused",
  (charset) => {
    for (const type of ["application/json", "application/cloudevents+json"]) {
      expect(judge(`${type}; charset=${charset}`)).toMatch(/charset/);
    }
  },
);

it.each(["identity", "Identity", "IDENTITY", "", undefined])("the Content-Encoding %j is none", (encoding) => {
  expect(judge("application/json", encoding)).toBe("taken");
});

it.each(["gzip", "br", "deflate", "zstd", "identity, gzip", "identities"])(
  "the Content-Encoding %j is refused in words for who set the sender up",
  (encoding) => {
    expect(judge("application/json", encoding)).toBe(
      "A compressed body is not taken; switch compression off at the sender",
    );
  },
);

it.each([
  { characters: 255, want: /^taken$/ },
  { characters: 256, want: /^taken$/ },
  { characters: 257, want: /^Content-Type has 257 characters; at most 256 are taken$/ },
  { characters: 15_000, want: /at most 256/ },
])("a Content-Type of $characters characters", ({ characters, want }) => {
  expect(judge("application/json; a=".padEnd(characters, "b"))).toMatch(want);
  expect(judge("application/json".padEnd(characters, ";"))).toMatch(want);
});
