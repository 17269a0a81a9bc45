import { BaseSequencer, type TestSpecification } from "vitest/node";

import { levels } from "./levels.ts";

/**
 * Test files of a minute and more, some of which are small, and those that nothing runs beside: with one of them as the last, a run would end with one worker.
 */
export const slowFiles: readonly string[] = [
  ...levels.flatMap(({ alone = [] }) => alone),
  "test/simulation/histories.test.ts",
  "test/apiserver/whole/crashes.test.ts",
  "test/apiserver/gateway/faults.test.ts",
  "test/apiserver/gateway/sandbox-work.test.ts",
  "test/apiserver/image/builds.test.ts",
];

/** Files that leave thousands of objects on the API server, which each controller of a later file would list. */
export const crowdingFiles: readonly string[] = [
  "test/apiserver/model/sequences.test.ts",
  "test/apiserver/run/deadlines.test.ts",
];

/** Vitest's order, in which large files go before small ones, but for the slowest files, which go first, and those that leave much, which go last. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return slowFirst(sorted, ({ moduleId }) => moduleId);
  }
}

/** Moves the slow files to the front, those that leave much to the end, and keeps the order else. */
export function slowFirst<T>(files: readonly T[], pathOf: (file: T) => string): T[] {
  const isOneOf = (some: readonly string[], path: string): boolean => some.some((one) => path.endsWith(`/${one}`));
  const placeOf = (file: T): number => {
    if (isOneOf(slowFiles, pathOf(file))) return 0;
    return isOneOf(crowdingFiles, pathOf(file)) ? 2 : 1;
  };
  return files.toSorted((one, other) => placeOf(one) - placeOf(other));
}
