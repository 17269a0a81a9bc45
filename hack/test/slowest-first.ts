import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Test files of a minute and more; they are small, and without this the last worker would end a run alone with one. */
const slow =
  /\/(whole\/crashes|model\/sequences|run\/deadlines|gateway\/(faults|sandbox-work)|contract\/[^/]+)\.test\.ts$/;

/** Vitest's order, in which large files go before small ones, but for the slowest files, which go first. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return slowFirst(sorted, ({ moduleId }) => moduleId);
  }
}

/** Moves the slow files to the front and keeps the order else. */
export function slowFirst<T>(files: readonly T[], pathOf: (file: T) => string): T[] {
  const isSlow = (file: T): boolean => slow.test(pathOf(file));
  return [...files.filter(isSlow), ...files.filter((file) => !isSlow(file))];
}
