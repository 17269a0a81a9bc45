import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseDocument } from "yaml";

import type { ReleaseImages } from "./release-images.ts";

/**
 * Gives `use` a copy of the chart whose defaults name these images, as those of a released chart do, so that it installs
 * without any value; the copy is gone afterwards.
 */
export async function withChartOfImages<T>(
  chart: string,
  { operator, sandbox }: ReleaseImages,
  use: (chart: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "runwright-chart-"));
  try {
    await cp(chart, folder, { recursive: true });
    const file = join(folder, "values.yaml");
    const values = parseDocument(await readFile(file, "utf8"));
    for (const [at, image] of [
      [["image"], operator],
      [["sandbox", "image"], sandbox],
    ] as const) {
      values.setIn([...at, "repository"], image.repository);
      values.setIn([...at, "tag"], image.tag);
    }
    await writeFile(file, values.toString());
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
