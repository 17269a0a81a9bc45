import { afterAll, beforeAll, expect, it } from "vitest";

import { campaign, report } from "../../model/campaign.ts";
import { openCommons } from "../../model/commons.ts";
import { testCluster } from "../../support/cluster.ts";
import { isThorough } from "../../support/thorough.ts";

const sequences = isThorough() ? 200 : 8;

let commons: Awaited<ReturnType<typeof openCommons>>;

beforeAll(async () => {
  commons = await openCommons(testCluster());
});

afterAll(() => commons.close());

it(`holds every invariant in ${sequences} sequences of 30 steps`, async () => {
  const findings = await campaign({ commons, seed: 1, sequences, steps: 30, lanes: 12 });
  // As an error's message it is shown whole; a comparison's is cut.
  if (findings.length > 0) expect.fail(findings.map(report).join("\n\n"));
}, 900_000);
