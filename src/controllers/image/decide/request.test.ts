import { expect, it } from "vitest";
import { aPrebuiltImage } from "../../../../test/support/builders.ts";
import { annotations } from "../../../api/v1alpha1/names.ts";
import { countCharacters } from "../../../lib/characters.ts";
import { countedRequest, isRequested } from "./request.ts";

/** What a person set the annotation to, and what the status says was counted last. */
function image(value: string | undefined, rebuildRequestedAt?: string) {
  const set = value === undefined ? {} : { annotations: { [annotations.rebuildRequestedAt]: value } };
  return aPrebuiltImage("web", { metadata: set, status: { rebuildRequestedAt } });
}

it.each([
  { name: "none", value: undefined, isNew: false },
  { name: "an empty value", value: "", isNew: true },
  { name: "255 characters", value: "x".repeat(255), isNew: true },
  { name: "256 characters", value: "x".repeat(256), isNew: true },
  { name: "257 characters", value: "x".repeat(257), isNew: true },
  {
    name: "300 characters, of which the 256th takes two units",
    value: `${"x".repeat(255)}${"😀".repeat(45)}`,
    isNew: true,
  },
])("a request counts once: $name", ({ value, isNew }) => {
  expect(isRequested(image(value))).toBe(isNew);
  const { rebuildRequestedAt } = countedRequest(image(value));
  expect(isRequested(image(value, rebuildRequestedAt))).toBe(false);
  expect(countCharacters(rebuildRequestedAt ?? "")).toBe(Math.min(256, countCharacters(value ?? "")));
  expect(rebuildRequestedAt?.isWellFormed() ?? true).toBe(true);
});

it("another value is another request", () => {
  expect(isRequested(image("two", "one"))).toBe(true);
});
