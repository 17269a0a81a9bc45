import { expect, it } from "vitest";
import { aPrebuiltImage } from "../../../../test/support/builders.ts";
import { annotations } from "../../../api/v1alpha1/names.ts";
import type { BuiltImage, PrebuiltImage, PrebuiltImageStatus } from "../../../api/v1alpha1/prebuilt-image.ts";
import { type Building, completeBuild, endBuild, failBuild, finished, supersedeBuild } from "./ending.ts";
import { isRequested } from "./request.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const createTime = "2026-05-04T09:59:00.000Z";

function building(build: Partial<Building["build"]>): Building {
  const inputs = { fingerprint: "sha256:f", classImage: "sandbox:1", timeoutSeconds: 60 };
  return {
    rebuildRequestedAt: "one",
    build: { number: 2, step: "Building", reason: "MissingImage", ...inputs, ...build },
    sandbox: { attempt: 2, podName: "p", podUID: "u", createTime },
  };
}

const end = { reason: "SetupFailed", message: "no" } as const;
const change = { reason: "Suspended", message: "it is suspended" };
type Ending = (image: PrebuiltImage, status: Building) => PrebuiltImageStatus;
const fails: Ending = (image, status) =>
  failBuild(image, status, { end, secretsMAC: undefined, commits: undefined }, now);
const isSuperseded: Ending = (image, status) => supersedeBuild(image, status, change, now);
const isStored: Ending = (image, status) => completeBuild(image, status, {} as BuiltImage, now);
const findsNothing: Ending = (image, status) => endBuild(image, status, finished("no"), now);

it.each<{ name: string; build: Partial<Building["build"]>; ends: Ending; annotation?: string; isLeft: boolean }>([
  { name: "a build that is stored answers it", build: { step: "Saving" }, ends: isStored, isLeft: false },
  { name: "a build that fails answers it", build: {}, ends: fails, isLeft: false },
  { name: "a check that finds nothing leaves it", build: { step: "Checking" }, ends: findsNothing, isLeft: true },
  { name: "a check that fails leaves it", build: { step: "Checking" }, ends: fails, isLeft: true },
  { name: "a build that proves useless leaves it", build: {}, ends: isSuperseded, isLeft: true },
])("a request that came meanwhile: $name", ({ build, ends, isLeft }) => {
  const metadata = { annotations: { [annotations.rebuildRequestedAt]: "two" } };
  const image = aPrebuiltImage("web", { metadata });
  expect(isRequested({ ...image, status: ends(image, building(build)) })).toBe(isLeft);
});

it.each<{ name: string; reason: Building["build"]["reason"]; ends: Ending; isLeft: boolean }>([
  { name: "failed", reason: "RebuildRequested", ends: fails, isLeft: false },
  { name: "proved useless", reason: "RebuildRequested", ends: isSuperseded, isLeft: true },
  { name: "proved useless, and had another reason", reason: "MissingImage", ends: isSuperseded, isLeft: false },
])("a request that a build was started for is left once that $name: $isLeft", ({ reason, ends, isLeft }) => {
  const metadata = { annotations: { [annotations.rebuildRequestedAt]: "one" } };
  const image = aPrebuiltImage("web", { metadata });
  expect(isRequested({ ...image, status: ends(image, building({ reason })) })).toBe(isLeft);
});
