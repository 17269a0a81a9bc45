import { expect, it } from "vitest";
import { refusalOf } from "./request-rules.ts";

const json = { "content-type": "application/json" };

it.each<[string, string, Parameters<typeof refusalOf>[1], number | undefined]>([
  ["a read of the page itself", "GET", { "sec-fetch-site": "same-origin" }, undefined],
  ["a typed address", "GET", { "sec-fetch-site": "none" }, undefined],
  ["a program without these headers", "GET", {}, undefined],
  ["a link from another site", "GET", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, undefined],
  ["a read by another site", "GET", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }, 403],
  [
    "a read by another port of this machine",
    "HEAD",
    { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" },
    403,
  ],
  ["a write of the page itself", "POST", { ...json, "sec-fetch-site": "same-origin" }, undefined],
  ["an image", "POST", { "content-type": "application/octet-stream", "sec-fetch-site": "same-origin" }, undefined],
  [
    "JSON with a charset",
    "POST",
    { "content-type": "Application/JSON; charset=utf-8", "sec-fetch-site": "same-origin" },
    undefined,
  ],
  ["a write by another site", "POST", { ...json, "sec-fetch-site": "cross-site" }, 403],
  ["a write by another port of this machine", "POST", { ...json, "sec-fetch-site": "same-site" }, 403],
  ["a write from a bookmark", "POST", { ...json, "sec-fetch-site": "none" }, 403],
  ["a write without the header", "POST", json, 403],
  ["a form", "POST", { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" }, 415],
  ["text", "POST", { "content-type": "text/plain", "sec-fetch-site": "same-origin" }, 415],
  ["a body without a type", "POST", { "sec-fetch-site": "same-origin" }, 415],
  ["another method", "DELETE", { ...json, "sec-fetch-site": "same-origin" }, 405],
])("%s", (_, method, headers, want) => {
  expect(refusalOf(method, headers)?.status).toBe(want);
});
