import { expect, it } from "vitest";

import { Refusal, unavailable } from "./refusal.ts";

it("has no stack, and leaves other errors and its own cause theirs", () => {
  const cause = new Error("away");
  const refusal = new Refusal({ code: "Unavailable", message: "later", error: cause });
  expect(refusal.stack).toBe("Refusal: later");
  expect(unavailable("away", cause).cause).toBe(cause);
  expect(cause.stack).toContain("refusal.test.ts");
  expect(new Error("after").stack).toContain("refusal.test.ts");
});
