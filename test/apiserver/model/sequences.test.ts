import { afterAll, beforeAll, expect, it } from "vitest";

import { campaign, report } from "../../model/campaign.ts";
import { openCommons } from "../../model/commons.ts";
import { testCluster } from "../../support/cluster.ts";

let commons: Awaited<ReturnType<typeof openCommons>>;

beforeAll(async () => {
  commons = await openCommons(testCluster());
});

afterAll(() => commons.close());

it("holds every invariant in 200 sequences of 30 steps", async () => {
  const findings = await campaign({ commons, seed: 1, sequences: 200, steps: 30, lanes: 12 });
  expect(findings.map(report).join("\n\n")).toBe("");
}, 1_800_000);
