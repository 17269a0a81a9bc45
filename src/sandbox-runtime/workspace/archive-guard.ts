import { homeFolder } from "../../api/runtime/pod-contract.ts";
import { type ArchiveMember, Headers, type ReadPiece } from "./tar-headers.ts";

/** No save of ours could have written this archive, or it is more than a workspace may be. */
export class ArchiveRefusedError extends Error {
  override readonly name = "ArchiveRefusedError";
}

/** With which the command ends that refused an archive, and says why on standard error. */
export const refusedExitCode = 3;

/** Bounds of what an archive unpacks to. */
export interface ArchiveBounds {
  entries: number;
  /** Bytes of all files; holes count nothing. */
  bytes: number;
}

/** Entries of the largest workspace with its home. */
export const mostEntries = 2_000_000;

/** Bytes of an archive, all of the entries of one folder. */
export interface FolderPiece {
  folder: "workspace" | "home";
  bytes: Uint8Array;
}

/**
 * Passes a tar stream on, each entry after its headers were found to be such as a save writes: names below the folder, no
 * devices but whiteouts, nothing below a link, first all of the workspace and then all of the home.
 * @throws ArchiveRefusedError
 */
export async function* guarded(content: AsyncIterable<Uint8Array>, bounds: ArchiveBounds): AsyncGenerator<FolderPiece> {
  const guard = new Guard(bounds);
  const headers = new Headers();
  for await (const piece of content) {
    const { bytes, homeAt } = refusing(() => guard.admit(headers.take(piece)));
    if (homeAt > 0) yield { folder: "workspace", bytes: bytes.subarray(0, homeAt) };
    if (homeAt < bytes.length) yield { folder: "home", bytes: bytes.subarray(homeAt) };
  }
  if (!headers.isAtEnd) throw new ArchiveRefusedError("it ends within an entry");
}

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ArchiveRefusedError ? error : new ArchiveRefusedError(String(error));
  }
}

class Guard {
  readonly #bounds: ArchiveBounds;
  /** Paths of symbolic links, and of hard links to them. */
  readonly #links = new Set<string>();
  #entries = 0;
  #bytes = 0;
  #isHome = false;

  constructor(bounds: ArchiveBounds) {
    this.#bounds = bounds;
  }

  /** `homeAt`: where the entries of the home begin in the bytes, their length when there is none. */
  admit({ bytes, found }: ReadPiece): { bytes: Buffer; homeAt: number } {
    let homeAt = this.#isHome ? 0 : bytes.length;
    for (const { member, at } of found) {
      this.#admit(member);
      if (this.#isHome) homeAt = Math.min(homeAt, at);
    }
    return { bytes, homeAt };
  }

  #admit({ type, name, target, size, isWhiteout }: ArchiveMember): void {
    this.#count(size);
    this.#order(name);
    const path = inside(name);
    if (type === "3" && !isWhiteout) throw new ArchiveRefusedError("it has a device");
    if (this.#links.size > 0 && this.#isBelowLink(path)) throw new ArchiveRefusedError("it has an entry below a link");
    if (type === "2" || (type === "1" && this.#links.has(inside(target).join("/")))) this.#links.add(path.join("/"));
  }

  #count(size: number): void {
    this.#entries += 1;
    this.#bytes += size;
    const { entries, bytes } = this.#bounds;
    if (this.#entries > entries) throw new ArchiveRefusedError(`it has more than ${entries} entries`);
    if (this.#bytes > bytes) throw new ArchiveRefusedError(`its files have more than ${bytes} bytes`);
  }

  /** Names of the workspace's entries begin with `./`. */
  #order(name: string): void {
    const isHome = name.startsWith(`${homeFolder}/`);
    if (this.#isHome && !isHome) throw new ArchiveRefusedError("it has an entry of the workspace behind the home's");
    this.#isHome = isHome;
  }

  #isBelowLink(path: readonly string[]): boolean {
    return path.some((_part, index) => index > 0 && this.#links.has(path.slice(0, index).join("/")));
  }
}

/** The parts of a path below the folder. */
function inside(path: string): string[] {
  const parts = path.split("/");
  if (path.startsWith("/") || parts.includes("..")) throw new ArchiveRefusedError("it has a path out of its folder");
  return parts.filter((part) => part !== "" && part !== ".");
}
