import { beforeEach, expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import { costReportMs, CostReports } from "./cost-reports.ts";

let clock: FakeClock;
let reports: CostReports;
let sent: number[];

beforeEach(() => {
  clock = new FakeClock();
  reports = new CostReports(clock);
  sent = [];
});

const connect = (): void => reports.use(({ costUsd }) => sent.push(costUsd));

it("sends the newest of the costs of 250 ms", () => {
  connect();
  reports.changed(1);
  clock.advance(costReportMs - 1);
  reports.changed(2);
  expect(sent).toEqual([]);
  clock.advance(1);
  expect(sent).toEqual([2]);
  clock.advance(costReportMs);
  expect(sent).toEqual([2]);
  reports.changed(3);
  clock.advance(costReportMs);
  expect(sent).toEqual([2, 3]);
});

it("sends it again on each connection that accepts it, and on no other", () => {
  connect();
  expect(sent).toEqual([]);
  reports.use(undefined);
  reports.changed(1);
  clock.advance(costReportMs);
  expect(sent).toEqual([]);
  connect();
  connect();
  expect(sent).toEqual([1, 1]);
});
