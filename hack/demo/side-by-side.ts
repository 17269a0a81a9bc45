import { stages, type StagesMs } from "../../test/e2e/support/stages.ts";

/** When two Runs reached each stage, in milliseconds after their deliveries were sent, as a table. */
export function sideBySide(cold: StagesMs, warm: StagesMs): string {
  const row = (...[stage, ...cells]: [string, string, string]): string =>
    `${stage.padEnd(16)}${cells.map((cell) => cell.padStart(18)).join("")}`;
  const cell = (ms: number | undefined): string => (ms === undefined ? "not seen" : `${ms} ms`);
  const rows = stages.map((stage) => row(stage, cell(cold[stage]), cell(warm[stage])));
  return [row("after", "its own sandbox", "one that waited"), ...rows].join("\n");
}
