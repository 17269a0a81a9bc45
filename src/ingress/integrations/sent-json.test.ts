import { expect, it } from "vitest";

import { isForm, sentJson } from "./sent-json.ts";

const event = { note: "a+b & ü = 100 %", list: [1] };
const json = JSON.stringify(event);
const form = `x=1&${new URLSearchParams({ payload: json }).toString()}`;

it.each([
  { type: "application/json", body: json },
  { type: undefined, body: json },
  { type: "application/x-www-form-urlencoded", body: form },
  { type: "Application/X-WWW-Form-Urlencoded; charset=UTF-8", body: form },
  { type: "application/x-www-form-urlencoded ; charset=utf8", body: form },
])("reads JSON of the type $type", ({ type, body }) => {
  expect(sentJson(Buffer.from(body), { "content-type": type })).toEqual(event);
});

it.each([
  { name: "a form without the field", type: "application/x-www-form-urlencoded", body: "pay=%7B%7D" },
  { name: "a form whose field is no JSON", type: "application/x-www-form-urlencoded", body: "payload=%7B" },
  { name: "a form that is said to be JSON", type: "application/json", body: form },
])("refuses $name", ({ type, body }) => {
  expect(() => sentJson(Buffer.from(body), { "content-type": type })).toThrow(/JSON/);
});

it.each([undefined, "", "application/json", "application/x-www-form-urlencodedx", "text/plain"])(
  "%s is no form",
  (type) => {
    expect(isForm({ "content-type": type })).toBe(false);
  },
);
