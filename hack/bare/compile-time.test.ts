import { expect, it } from "vitest";

import { whileReporting } from "../lib/progress.ts";
import { compileTime } from "./compile-time.ts";

const step = "building Kubernetes 1.35.1 from Go modules (minutes the first time)";

it("takes the last that was said of Kubernetes, and of nothing else", () => {
  const lines = [
    `[demo    0.1s] ${step}`,
    `[demo   10.1s] ${step}: still going after 10 s`,
    `[demo  300.1s] ${step}: still going after 300 s`,
    "[demo  500.1s] building helm 3.22.0 from Go modules (minutes the first time): still going after 400 s",
  ];
  expect(compileTime(lines)).toBe(300_000);
});

it("says nothing where Kubernetes was there already", () => {
  expect(compileTime(["[demo    0.1s] the local cluster is up already"])).toBeUndefined();
});

it("reads steps as they begin", async () => {
  const said: string[] = [];
  await whileReporting(
    (line) => said.push(line),
    step,
    () => Promise.resolve(),
  );
  expect(compileTime(said.map((line) => `${line}: still going after 20 s`))).toBe(20_000);
});
