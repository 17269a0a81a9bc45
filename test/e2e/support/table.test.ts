import { expect, it } from "vitest";

import { tableRows } from "./table.ts";

it("reads empty cells, and blanks in names and cells", () => {
  const printed = [
    "NAME          NUMBER   LAST SKIP       READY   MESSAGE",
    "github-4mzq   17                       True    It is open",
    "github-7kcd   18       EmptyFeedback   False",
    "",
  ].join("\n");
  expect(tableRows(printed)).toEqual([
    { NAME: "github-4mzq", NUMBER: "17", "LAST SKIP": "", READY: "True", MESSAGE: "It is open" },
    { NAME: "github-7kcd", NUMBER: "18", "LAST SKIP": "EmptyFeedback", READY: "False", MESSAGE: "" },
  ]);
});

it("has no rows without a line below the head", () => {
  expect(tableRows("NAME   READY\n")).toEqual([]);
});
