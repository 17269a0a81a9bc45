import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** For a test: puts programs of this machine into a folder that is to be the whole PATH, so that no other can be found. */
export async function linkPrograms(folder: string, names: readonly string[]): Promise<void> {
  const places = (process.env.PATH ?? "").split(delimiter);
  for (const name of names) {
    const place = places.find((one) => existsSync(join(one, name)));
    if (place !== undefined) await symlink(join(place, name), join(folder, name));
  }
}
