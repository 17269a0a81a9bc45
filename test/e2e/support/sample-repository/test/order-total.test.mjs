import assert from "node:assert/strict";
import test from "node:test";

import { orderTotal } from "../src/order-total.mjs";

test("an order without lines costs nothing", () => {
  assert.equal(orderTotal([]), 0);
});

test("each line counts as often as it was ordered", () => {
  const lines = [
    { article: "cup", unitCents: 700, quantity: 3 },
    { article: "plate", unitCents: 1250, quantity: 2 },
  ];
  assert.equal(orderTotal(lines), 4600);
});
