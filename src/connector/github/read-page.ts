import { isTooLong } from "../answer-text.ts";

export interface Page {
  /** From 1. */
  page: number;
  perPage: number;
}

/**
 * Reads a page of a list, in smaller pages where its texts are so long that the answer would be longer than what is read of one.
 * @throws ProviderError
 */
export async function readPage<Item>(read: (page: Page) => Promise<Item[]>, { page, perPage }: Page): Promise<Item[]> {
  try {
    return await read({ page, perPage });
  } catch (error) {
    if (!isTooLong(error) || perPage === 1) throw error;
  }
  const parts = perPage % 2 === 0 ? 2 : perPage;
  const found: Item[] = [];
  for (let part = 1; part <= parts; part += 1) {
    found.push(...(await readPage(read, { page: (page - 1) * parts + part, perPage: perPage / parts })));
  }
  return found;
}
