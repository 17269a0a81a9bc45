import { expect, it } from "vitest";

import { saysMoreThanItsName } from "./says-more.ts";

it.each([
  { path: "status.lastRun.name", description: "name is the Run's name." },
  { path: "status.sandbox.podName", description: "podName is the sandbox pod's name." },
  { path: "status.sandbox.podUID", description: "podUID is the UID of the pod." },
  { path: "spec.limits[].maxRuns", description: "maxRuns is the max of runs, 1 to 1,000. Defaults to 30." },
  { path: "spec.volumes[].image.reference", description: "reference of the image, at most 1,024 characters." },
])("$description says no more than $path", ({ path, description }) => {
  expect(saysMoreThanItsName(path, description)).toBe(false);
});

it.each([
  { path: "status.lastRun.name", description: "name is what kubectl get run shows it under." },
  { path: "status.active.uid", description: "uid tells the Run from a later one of the same name." },
  { path: "spec.suspend", description: "suspend pauses the automation. Defaults to false." },
])("$description says more than $path", ({ path, description }) => {
  expect(saysMoreThanItsName(path, description)).toBe(true);
});
