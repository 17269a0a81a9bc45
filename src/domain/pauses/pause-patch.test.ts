import { describe, expect, it } from "vitest";

import { pausePatch, resumePatch } from "./pause-patch.ts";

const at = new Date("2026-05-04T10:15:00.000Z");
const annotation = { metadata: { annotations: { "runwright.dev/resume-requested-at": "2026-05-04T10:15:00.000Z" } } };

describe("a pause", () => {
  it("is the person's own field", () => {
    expect(pausePatch()).toEqual({ spec: { suspend: true } });
  });
});

describe("a resume", () => {
  it.each([
    { suspend: true, want: { ...annotation, spec: { suspend: false } } },
    { suspend: false, want: annotation },
  ])("with suspend $suspend", ({ suspend, want }) => {
    expect(resumePatch({ spec: { suspend } }, at)).toEqual(want);
  });
});
