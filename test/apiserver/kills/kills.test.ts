import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { buildBundles } from "../../../hack/build/bundles.ts";
import { campaign } from "../../kills/campaign.ts";
import type { ControlPlane } from "../../../hack/cluster/cluster.ts";
import { startEquippedControlPlane } from "../../support/control-plane.setup.ts";

let plane: ControlPlane;
let programs: string;

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), "runwright-programs-"));
  await buildBundles(programs);
  plane = await startEquippedControlPlane();
});
afterAll(async () => {
  await plane.stop();
  await rm(programs, { recursive: true, force: true });
});

it("loses nothing that was accepted, acknowledged or saved, and counts each cost once, in 25 kills", async () => {
  const { violations, kills, workspaces, costs } = await campaign({ plane, programs, seed: 1, kills: 25, lanes: 4 });
  expect(kills.gateways + kills.controllers + kills.runtimes).toBe(25);
  expect(violations).toEqual([]);
  expect(workspaces.saved).toBeGreaterThan(0);
  expect(workspaces.restored).toBeGreaterThan(0);
  expect(Number(costs.countedUsd)).toBeGreaterThan(0);
}, 600_000);
