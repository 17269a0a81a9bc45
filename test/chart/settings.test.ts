import { describe, expect, it } from "vitest";

import { readOperatorSettings } from "../../src/config/operator-settings.ts";
import { renderChart } from "./support/render.ts";

/** What helm says of values under `settings`; undefined when it takes them. */
function refusal(settings: Record<string, unknown>): Promise<string | undefined> {
  const values = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`settings.${name}`, value]));
  return renderChart({ values, showOnly: ["templates/controller/deployment.yaml"] }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

function processTakes(environment: Record<string, string>): boolean {
  try {
    readOperatorSettings(environment);
    return true;
  } catch {
    return false;
  }
}

describe("maxSessionCostUsd", () => {
  it.each([
    ["999999999", true],
    ["1000000000", false],
    ["000000001", true],
    ["0000000001", false],
    ["12345678901234567", false],
    ["999999999.999999", true],
    ["1.123456", true],
    ["1.1234567", false],
    ["0.000001", true],
    ["0.0000001", false],
    ["0.00000100001", false],
    ["0", false],
    ["0.000000", false],
    ["1.", false],
    [".5", false],
    ["-1", false],
    ["1e3", false],
    ["5 USD", false],
    ["", true],
  ])("of %j is taken by helm as by the process: %j", async (maxSessionCostUsd, taken) => {
    expect(processTakes({ MAX_SESSION_COST_USD: maxSessionCostUsd })).toBe(taken);
    const said = await refusal({ maxSessionCostUsd });
    if (taken) expect(said).toBeUndefined();
    else expect(said).toContain("/settings/maxSessionCostUsd");
  });
});

describe("child sessions at once and in all", () => {
  it.each([
    { maxConcurrentChildSessions: 5, maxTotalChildSessions: 5 },
    { maxConcurrentChildSessions: 0, maxTotalChildSessions: 0 },
    // What is built in for the other bounds it, or is bounded by it.
    { maxConcurrentChildSessions: 16, maxTotalChildSessions: null },
    { maxConcurrentChildSessions: null, maxTotalChildSessions: 4 },
  ])("are taken as $maxConcurrentChildSessions and $maxTotalChildSessions", async (settings) => {
    expect(await refusal(settings)).toBeUndefined();
  });

  it.each([
    [6, 5],
    [1, 0],
  ])("are refused as %i and %i, with both figures", async (maxConcurrentChildSessions, maxTotalChildSessions) => {
    expect(await refusal({ maxConcurrentChildSessions, maxTotalChildSessions })).toContain(
      `settings.maxConcurrentChildSessions is ${maxConcurrentChildSessions}, but it must be at most settings.maxTotalChildSessions, ${maxTotalChildSessions}`,
    );
  });
});
