/** One entry of an archive in GNU tar's own format. */
export interface ArchiveMember {
  /** Type flag: `0` file, `1` hard link, `2` symbolic link, `3` character device, `5` directory, `6` FIFO, `S` sparse file. */
  type: string;
  name: string;
  /** Of links. */
  target: string;
  /** Bytes of the content in the archive. */
  size: number;
  /** A character device of number 0:0, the only one that needs no right. */
  isWhiteout: boolean;
}

/** What was read of an archive. */
export interface ReadPiece {
  /** The archive's bytes, which end before an entry whose headers are not complete. */
  bytes: Buffer;
  /** The entries that begin in these bytes; `at` is the index of an entry's first header in them. */
  found: { member: ArchiveMember; at: number }[];
}

const block = 512;
const noBytes = Buffer.alloc(block);
/** Bytes of a name or target that has an entry of its own; the kernel's limit of a path is 4,096. */
const longestName = 65_536;
const members = new Set(["0", "1", "2", "3", "5", "6", "S"]);

/** Names and targets that have entries of their own, which come before the entry's header. */
interface LongTexts {
  L?: string;
  K?: string;
}

/**
 * Reads the headers of an archive as `tar --format=gnu` writes them; libraries do not know its sparse files. What it would
 * not write is an error, so that tar never reads an entry of which this has not read the header.
 */
export class Headers {
  /** The end of the last piece: headers that are not complete. */
  #held: Buffer = Buffer.alloc(0);
  /** Bytes up to the next header. */
  #skip = 0;
  /** Whether the next block goes on with the map of a sparse file. */
  #mapGoesOn = false;
  #sparseBytes = 0;

  /** Whether the last piece has ended with an entry or a block of zeros. */
  get isAtEnd(): boolean {
    return this.#held.length === 0 && this.#skip === 0 && !this.#mapGoesOn;
  }

  /** Reads on. @throws Error for a header that is none */
  take(piece: Uint8Array): ReadPiece {
    const bytes =
      this.#held.length === 0
        ? Buffer.from(piece.buffer, piece.byteOffset, piece.length)
        : Buffer.concat([this.#held, piece]);
    const found: ReadPiece["found"] = [];
    let at = this.#pass(bytes, 0);
    while (bytes.length - at >= block) {
      const read = this.#read(bytes, at);
      if (!read) break;
      if (read.member) found.push({ member: read.member, at });
      at = this.#pass(bytes, at + read.length);
    }
    this.#held = Buffer.from(bytes.subarray(at));
    return { bytes: bytes.subarray(0, at), found };
  }

  /** Passes content; gives where it ends. */
  #pass(bytes: Buffer, at: number): number {
    const count = Math.min(this.#skip, bytes.length - at);
    this.#skip -= count;
    return at + count;
  }

  /** Reads one block, or all headers of an entry; undefined when they have not all come. */
  #read(bytes: Buffer, at: number): { member?: ArchiveMember; length: number } | undefined {
    const header = bytes.subarray(at, at + block);
    if (this.#mapGoesOn) {
      this.#mapGoesOn = header[504] === 1;
      if (!this.#mapGoesOn) this.#skip = padded(this.#sparseBytes);
      return { length: block };
    }
    if (header.equals(noBytes)) return { length: block };
    return this.#entry(bytes, at);
  }

  #entry(bytes: Buffer, start: number): { member: ArchiveMember; length: number } | undefined {
    const long: LongTexts = {};
    let at = start;
    while (bytes.length - at >= block) {
      const header = bytes.subarray(at, at + block);
      check(header);
      const type = header[156] === 0 ? "0" : String.fromCharCode(header[156] ?? 0);
      const size = numberAt(header, 124, 12);
      at += block;
      if (type !== "L" && type !== "K") return { member: this.#member(header, type, size, long), length: at - start };
      if (size === 0) throw new Error("it has a name that is empty");
      if (size > longestName) throw new Error("it has a name that is too long");
      if (long[type] !== undefined) throw new Error("it has an entry with two names");
      if (bytes.length - at < padded(size)) return undefined;
      long[type] = textAt(bytes, at, size);
      at += padded(size);
    }
    return undefined;
  }

  #member(header: Buffer, type: string, size: number, long: LongTexts): ArchiveMember {
    if (!members.has(type)) throw new Error(`it has an entry of type ${JSON.stringify(type)}`);
    const content = type === "0" || type === "S" ? size : 0;
    if (content !== size) throw new Error("it has content where none can be");
    const name = long.L ?? textAt(header, 0, 100);
    const target = long.K ?? textAt(header, 157, 100);
    this.#mapGoesOn = type === "S" && header[482] === 1;
    if (this.#mapGoesOn) this.#sparseBytes = content;
    else this.#skip = padded(content);
    return { type, name, target, size: content, isWhiteout: type === "3" && isDeviceZero(header) };
  }
}

function isDeviceZero(header: Buffer): boolean {
  return numberAt(header, 329, 8) === 0 && numberAt(header, 337, 8) === 0;
}

function padded(size: number): number {
  return Math.ceil(size / block) * block;
}

function check(header: Buffer): void {
  if (header.toString("latin1", 257, 265) !== "ustar  \0") throw new Error("it is no archive of GNU tar's format");
  let sum = 0;
  for (let at = 0; at < block; at += 1) sum += at >= 148 && at < 156 ? 0x20 : (header[at] ?? 0);
  if (sum !== numberAt(header, 148, 8)) throw new Error("it has a header whose checksum is wrong");
}

function textAt(header: Buffer, at: number, length: number): string {
  return header.toString("latin1", at, at + length).split("\0", 1)[0] ?? "";
}

/** Octal digits, or a binary number after a first byte of 128. */
function numberAt(header: Buffer, at: number, length: number): number {
  if (header[at] === 0x80) {
    const high = header.subarray(at + 1, at + length - 6);
    if (high.some((byte) => byte !== 0)) throw new Error("it has a number that is too large");
    return header.readUIntBE(at + length - 6, 6);
  }
  const text = textAt(header, at, length).trim();
  if (!/^[0-7]*$/.test(text)) throw new Error("it has a number that is none");
  return Number.parseInt(text || "0", 8);
}
