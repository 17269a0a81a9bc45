import { afterAll, beforeAll, expect, it } from "vitest";

import { campaign } from "../../kills/campaign.ts";
import type { ControlPlane } from "../../../hack/cluster/cluster.ts";
import { startEquippedControlPlane } from "../../support/control-plane.setup.ts";
import { testPrograms } from "../../support/programs.ts";
import { isThorough } from "../../support/thorough.ts";

const { count, lanes } = isThorough() ? { count: 25, lanes: 4 } : { count: 3, lanes: 1 };

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startEquippedControlPlane();
});
afterAll(() => plane.stop());

it(`loses nothing that was accepted, acknowledged or saved, and counts each cost once, in ${count} kills`, async () => {
  const programs = testPrograms();
  const { violations, kills, workspaces, costs } = await campaign({
    ...{ plane, programs, seed: 1, kills: count, lanes },
    keepsWorkspaces: isThorough(),
  });
  expect(kills.gateways + kills.controllers + kills.runtimes).toBe(count);
  expect(violations).toEqual([]);
  if (!isThorough()) return;
  expect(workspaces.saved).toBeGreaterThan(0);
  expect(workspaces.restored).toBeGreaterThan(0);
  expect(Number(costs.countedUsd)).toBeGreaterThan(0);
});
