import { createReadStream } from "node:fs";
import { opendir } from "node:fs/promises";
import { join } from "node:path";

/** Yields the files below a folder, relative to its parent's name, that contain one of the values; links are not followed. */
export async function* filesWith(
  values: readonly string[],
  { folder, shownAs }: { folder: string; shownAs: string },
): AsyncGenerator<string> {
  const wanted = values.map((value) => Buffer.from(value));
  for await (const path of filesBelow(folder, "")) {
    if (await contains(join(folder, path), wanted)) yield `${shownAs}${path}`;
  }
}

/** What cannot be read is not stored either. */
async function* filesBelow(folder: string, below: string): AsyncGenerator<string> {
  const entries = await opendir(join(folder, below)).catch(() => undefined);
  if (!entries) return;
  for await (const entry of entries) {
    const path = join(below, entry.name);
    if (entry.isDirectory()) yield* filesBelow(folder, path);
    else if (entry.isFile()) yield path;
  }
}

async function contains(file: string, wanted: readonly Buffer[]): Promise<boolean> {
  const overlap = Math.max(...wanted.map(({ length }) => length)) - 1;
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const piece of createReadStream(file, { highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>) {
      const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      if (wanted.some((value) => all.includes(value))) return true;
      rest = all.subarray(Math.max(0, all.length - overlap));
    }
  } catch {
    return false;
  }
  return false;
}
