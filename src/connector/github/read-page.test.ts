import { describe, expect, it } from "vitest";

import { readAnswer } from "../answer-text.ts";
import { ProviderError } from "../provider-error.ts";
import { type Page, readPage } from "./read-page.ts";

const longestAnswer = 2_097_152;

/** Reads pages of items of so many bytes each, as they are read of an answer, and tells which pages were asked for. */
function listOf(count: number, bytesEach: number) {
  const asked: string[] = [];
  const read = async ({ page, perPage }: Page): Promise<number[]> => {
    asked.push(`${page} of ${perPage}`);
    const all = Array.from({ length: count }, (_, index) => index + 1);
    const shown = all.slice((page - 1) * perPage, page * perPage);
    await readAnswer(new Response("x".repeat(shown.length * bytesEach)), "refused");
    return shown;
  };
  return { asked, read };
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe("a page", () => {
  it.each([
    { bytesEach: 104_857, asked: ["2 of 20"] },
    { bytesEach: 104_858, asked: ["2 of 20", "3 of 10", "4 of 10"] },
    { bytesEach: 209_716, asked: 7 },
    { bytesEach: longestAnswer, asked: 27 },
  ])("of 20 with $bytesEach bytes each is read whole: $asked", async ({ bytesEach, asked: want }) => {
    const { asked, read } = listOf(60, bytesEach);
    expect(await readPage(read, { page: 2, perPage: 20 })).toEqual(numbers(21, 40));
    expect(typeof want === "number" ? asked.length : asked).toEqual(want);
  });

  it("that is the last one is as short as it was", async () => {
    const { read } = listOf(25, longestAnswer / 2);
    expect(await readPage(read, { page: 2, perPage: 20 })).toEqual(numbers(21, 25));
  });

  it("with one item that is too long is refused", async () => {
    const { read } = listOf(2, longestAnswer + 1);
    await expect(readPage(read, { page: 1, perPage: 20 })).rejects.toMatchObject({ failure: "refused" });
  });

  it("is not asked for in parts where the provider fails otherwise", async () => {
    let calls = 0;
    const read = (): Promise<never> => {
      calls += 1;
      return Promise.reject(new ProviderError("unavailable", "down"));
    };
    await expect(readPage(read, { page: 1, perPage: 20 })).rejects.toThrow("down");
    expect(calls).toBe(1);
  });
});
