import { describe, expect, it } from "vitest";

import { Run } from "../../api/v1alpha1/index.ts";
import { randomNameBytes } from "../object-names.ts";
import { manualRun } from "./manual-run.ts";

const at = new Date("2026-05-04T10:15:00.000Z");

describe("a manual Run", () => {
  const random = new Uint8Array(randomNameBytes);
  const automation = { namespace: "shop", name: "nightly" };

  it("needs no more than the automation's name", () => {
    expect(manualRun({ automation, time: at, random, whilePaused: false })).toEqual({
      metadata: { namespace: "shop", name: "nightly-aaaaaaaaaa" },
      spec: {
        automationRef: { name: "nightly" },
        trigger: { type: "Manual", time: "2026-05-04T10:15:00.000Z" },
      },
    });
  });

  it("is tied to the very automation by its UID", () => {
    const { metadata, spec } = manualRun({
      automation: { ...automation, uid: "u-1" },
      time: at,
      random,
      whilePaused: true,
    });
    expect(metadata.labels).toEqual({
      "runwright.dev/automation-uid": "u-1",
      "runwright.dev/automation": "nightly",
    });
    expect(metadata.annotations).toEqual({ "runwright.dev/while-paused": "true" });
    expect(spec.automationRef).toEqual({ name: "nightly", uid: "u-1" });
    expect(Run.schema.safeParse({ spec }).success).toBe(true);
  });

  it("has the same name each time it is made of the same bytes", () => {
    const firing = { automation, time: at, random, whilePaused: false };
    expect(manualRun(firing)).toEqual(manualRun({ ...firing }));
  });
});
