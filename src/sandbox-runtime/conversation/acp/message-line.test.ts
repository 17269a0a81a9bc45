import { expect, it } from "vitest";

import { systemRandom } from "../../../lib/random.ts";
import { Base64, messageLine } from "./message-line.ts";

it("is the JSON of the message and a line end", () => {
  const message = { id: 1, params: { text: "Größe\n", list: [null, 2] } };
  expect([...messageLine(message, systemRandom)].join("")).toBe(`${JSON.stringify(message)}\n`);
});

it.each([0, 1, 2, 3, 196_607, 196_608, 196_609, 500_000])("has %i bytes as base64, no piece of them long", (size) => {
  // A view in the middle of other bytes.
  const bytes = Buffer.alloc(size + 2, "abcdefg").subarray(1, size + 1);
  const pieces = [
    ...messageLine({ before: 1, list: [{ data: new Base64(bytes) }, { data: new Base64(bytes) }] }, systemRandom),
  ];
  const data = bytes.toString("base64");
  expect(JSON.parse(pieces.join(""))).toEqual({ before: 1, list: [{ data }, { data }] });
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(262_144);
});
