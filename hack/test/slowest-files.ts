import { relative } from "node:path";

import type { Reporter, TestModule } from "vitest/node";

/** A test file and how long it took: its imports, hooks and tests. */
export interface TimedFile {
  file: string;
  ms: number;
}

const shown = 10;

/** A vitest reporter that ends a run with its ten slowest test files. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const line of slowestFiles(modules.map(timed))) console.log(line);
  }
}

function timed(module: TestModule): TimedFile {
  const { collectDuration, duration } = module.diagnostic();
  return { file: relative(process.cwd(), module.moduleId), ms: collectDuration + duration };
}

/** Lines that name the slowest files, slowest first, with their seconds; none for a run without files. */
export function slowestFiles(files: readonly TimedFile[]): string[] {
  if (files.length === 0) return [];
  const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, shown);
  const seconds = ({ ms }: TimedFile): string => (ms / 1000).toFixed(1).padStart(7);
  return ["slowest test files, in seconds:", ...slowest.map((each) => `${seconds(each)}  ${each.file}`)];
}
