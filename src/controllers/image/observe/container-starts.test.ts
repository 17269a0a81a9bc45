import { beforeEach, expect, it } from "vitest";
import { aPrebuiltImage } from "../../../../test/support/builders.ts";
import type { PrebuiltImage, PrebuiltImageStatus } from "../../../api/v1alpha1/prebuilt-image.ts";
import { keyOf } from "../../../lib/resource.ts";
import { ContainerStarts } from "./container-starts.ts";

const createTime = "2026-05-04T10:00:00.000Z";
const at = (seconds: number): Date => new Date(Date.parse(createTime) + seconds * 1_000);
const time = (seconds: number): string => at(seconds).toISOString();

function building(sandbox: Partial<NonNullable<PrebuiltImageStatus["sandbox"]>> = {}): PrebuiltImage {
  const own = { attempt: 1, podName: "p", podUID: "u", createTime };
  return aPrebuiltImage("web", { status: { sandbox: { ...own, ...sandbox } } });
}

let starts: ContainerStarts;
beforeEach(() => {
  starts = new ContainerStarts();
});

it("is unknown until the container runs, and then stays when it was first seen", () => {
  expect(starts.seen(building(), false, at(1))).toBeUndefined();
  expect(starts.seen(building(), true, at(2))).toBe(time(2));
  expect(starts.seen(building(), true, at(3))).toBe(time(2));
  expect(starts.seen(building(), false, at(4))).toBe(time(2));
});

it("is what the status says, which another process may have seen", () => {
  expect(starts.seen(building({ containerStartTime: time(1) }), true, at(9))).toBe(time(1));
});

it("is another one of another pod", () => {
  starts.seen(building(), true, at(2));
  expect(starts.seen(building({ attempt: 2, podUID: "v" }), false, at(3))).toBeUndefined();
  expect(starts.seen(building({ attempt: 2, podUID: "v" }), true, at(4))).toBe(time(4));
});

it("is forgotten with the image", () => {
  starts.seen(building(), true, at(2));
  starts.forget(keyOf(building()));
  expect(starts.seen(building(), true, at(3))).toBe(time(3));
});

it("is unknown before the first build", () => {
  expect(starts.seen(aPrebuiltImage("web"), false, at(1))).toBeUndefined();
});
