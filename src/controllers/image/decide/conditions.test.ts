import { expect, it } from "vitest";
import { aPrebuiltImage } from "../../../../test/support/builders.ts";
import type { ImageFacts } from "../facts.ts";
import { withConditions } from "./conditions.ts";

const now = new Date("2026-05-04T10:00:00.000Z");

function factsOf(bounded: readonly string[]): ImageFacts {
  const found = { fingerprint: "sha256:f", classImage: "sandbox:1", repositories: ["web"], bounded };
  return { image: aPrebuiltImage("web"), scope: { found }, pods: [], secrets: [], isSilent: false };
}

it("settings that the class bounds are a warning, for as long as it bounds them", () => {
  const warned = withConditions(factsOf(["one is above"]), {}, now);
  const type = "SettingsBounded";
  expect(warned.conditions?.find((one) => one.type === type)).toMatchObject({
    status: "True",
    reason: "SettingAboveLimit",
    message: "one is above",
  });
  const fixed = withConditions(factsOf([]), warned, now);
  expect(fixed.conditions?.map((one) => one.type)).toEqual(["Ready"]);
});
