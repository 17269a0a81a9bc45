import { expect, it } from "vitest";

import { archiveReads, readArchive, tooManyReads } from "./read-archive.ts";

const signal = new AbortController().signal;
const logger = { error: () => undefined };

it.each([
  { queries: 33, refused: 0 },
  { queries: 34, refused: 0 },
  { queries: 35, refused: 1 },
])(
  "of $queries queries of a namespace at once $refused are refused, and the next namespace's begins",
  ({ queries, refused }) => {
    let counted = 0;
    let begun = 0;
    const reads = archiveReads(() => (counted += 1));
    const ask = (sharer: string): void => {
      const work = (): Promise<never> => {
        begun += 1;
        return new Promise(() => undefined);
      };
      void reads.run({ sharer, busy: tooManyReads }, work).catch(() => undefined);
    };
    for (let asked = 0; asked < queries; asked += 1) ask("namespace shop");
    ask("namespace site");
    return Promise.resolve().then(() => expect([counted, begun]).toEqual([refused, 3]));
  },
);

it("passes on what is meant for the caller, and nothing else", async () => {
  await expect(readArchive(Promise.reject(tooManyReads()), { signal, logger })).rejects.toMatchObject({ code: "Busy" });
  const failed = readArchive(Promise.reject(new Error("secret words")), { signal, logger });
  await expect(failed).rejects.toMatchObject({
    code: "Unavailable",
    message: "the archive cannot be read now; try again",
  });
});
