import { expect, it } from "vitest";

import { headersOf } from "./local-forward.ts";

it("passes cookies of a sandbox's server on, but for those that have the name of the page's", () => {
  const sent = ["set-cookie", "theme=dark; Path=/p/", "Set-Cookie", "runwright-page-8090=x; Path=/p/"];
  expect(headersOf(sent, "/p")).toEqual(["set-cookie", "theme=dark; Path=/"]);
});
