import { expect, it } from "vitest";
import { aSession } from "../../../../test/support/builders.ts";
import type { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import { observeVerdicts } from "./verdicts.ts";

const digest = "sha256:d";
const image = {
  metadata: { namespace: "shop", name: "web", uid: "i1" },
  status: { image: { build: 7, digest } },
} as PrebuiltImage;

const used: NonNullable<SessionStatus["prebuiltImage"]> = { name: "web", uid: "i1", reason: "Used", build: 7, digest };

it.each<[string, Partial<typeof used>, object]>([
  ["began with it", {}, {}],
  ["found it missing", { problem: "Missing" }, { damagedBuild: 7 }],
  ["found it damaged", { problem: "Damaged" }, { damagedBuild: 7 }],
  ["refused it", { problem: "Refused" }, { damagedBuild: 7 }],
  ["could not reach it", { problem: "Unreachable" }, {}],
  ["found an earlier one damaged", { build: 6, digest: "sha256:c", problem: "Damaged" }, {}],
  ["has other secrets", { reason: "SecretsChanged" }, { staleBuild: 7 }],
  ["had other secrets than an earlier one", { reason: "SecretsChanged", build: 6 }, {}],
])("what an image is after a session %s", (_, said, want) => {
  const session = aSession({ status: { prebuiltImage: { ...used, ...said } } });
  expect(observeVerdicts({ sessions: { byIndex: () => [session] } as never }, image)).toEqual(want);
});
