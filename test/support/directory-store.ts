import { DirectoryStore } from "../../src/blobs/directory-store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";

/** A blob store in this directory, with the machine's time and chance. */
export function openDirectoryStore(directory: string): Promise<DirectoryStore> {
  return DirectoryStore.open(directory, { clock: systemClock, random: systemRandom });
}
