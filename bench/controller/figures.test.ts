import { expect, it } from "vitest";

import { type Lived, type Played, throughputOf } from "./figures.ts";

function aRound(parts: Partial<Lived> = {}, baselinePerSecond = 40): Played {
  const controller: Lived = {
    perSecond: 30,
    p50Ms: 500,
    p99Ms: 900,
    cpuMs: 20,
    apiServerCpuMs: 25,
    reconciles: 10,
    reconcilesBy: { run: 4, session: 6 },
    writes: {},
    failures: new Map(),
    ...parts,
  };
  const replay = { count: 100, failures: {}, perSecond: baselinePerSecond, p50Ms: 1, p99Ms: 2, cpuMs: 3 };
  return { controller, replay };
}

it("holds each round's rate against the Go program's of the same round", () => {
  const rounds = [aRound({ perSecond: 30 }, 40), aRound({ perSecond: 10 }, 40), aRound({ perSecond: 20 }, 20)];
  expect(throughputOf(rounds)).toMatchObject({
    runsPerSecond: 20,
    baselinePerSecond: 40,
    ratio: 0.75,
    ratioSpread: { min: 0.25, max: 1 },
    runsPerSecondSpread: { min: 10, max: 30 },
  });
});

it("counts as writes of a Run neither Events, reviews, the kubelet's word, nor Leases that are renewed or collected", () => {
  const writes = {
    "POST runs": 1,
    "PATCH runs/status": 2,
    "POST leases": 1,
    "PATCH leases": 0.5,
    "DELETE leases": 1,
    "PATCH pods/status": 1,
    "POST events": 5,
    "PATCH events": 1,
    "POST subjectaccessreviews": 1,
  };
  expect(throughputOf([aRound({ writes })])).toMatchObject({ writesEachRun: 4, eventsEachRun: 6, writesBy: writes });
});

it("takes a counter that a round lacks for nothing, and leaves out what is below a hundredth of a Run", () => {
  const rounds = [{ a: 0.009 }, { a: 0.01, b: 3 }, { a: 0.02, b: 1 }].map((reconcilesBy) => aRound({ reconcilesBy }));
  expect(throughputOf(rounds).reconcilesBy).toEqual({ a: 0.01, b: 1 });
  expect(throughputOf(rounds.slice(0, 1)).reconcilesBy).toEqual({});
});

it("counts the failures of both", () => {
  const round = aRound({ failures: new Map([["gone", 2]]) });
  round.replay.failures = { refused: 3 };
  expect(throughputOf([round, aRound()]).failures).toBe(5);
});
