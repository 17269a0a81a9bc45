import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Test files of a minute and more; they are small, and without this the last worker would end a run alone with one. */
const slow = /\/(whole\/crashes|gateway\/(faults|sandbox-work)|image\/builds|contract\/people-api)\.test\.ts$/;
/** As slow, and leave thousands of objects on the API server, which each controller of a later file would list. */
const crowding = /\/(model\/sequences|run\/deadlines)\.test\.ts$/;

/** Vitest's order, in which large files go before small ones, but for the slowest files, which go first, and those that leave much, which go last. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return slowFirst(sorted, ({ moduleId }) => moduleId);
  }
}

/** Moves the slow files to the front, those that leave much to the end, and keeps the order else. */
export function slowFirst<T>(files: readonly T[], pathOf: (file: T) => string): T[] {
  const placeOf = (file: T): number => (slow.test(pathOf(file)) ? 0 : crowding.test(pathOf(file)) ? 2 : 1);
  return files.toSorted((one, other) => placeOf(one) - placeOf(other));
}
