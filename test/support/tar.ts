/** An entry of an archive that a test writes by hand. */
export interface Entry {
  /** Type flag. */
  type: string;
  name: string;
  /** Of links. */
  target?: string;
  content?: string;
  /** Major and minor number. */
  device?: readonly [number, number];
  /** GNU tar's own where it is left out. */
  magic?: string;
  /** The right one where it is left out. */
  checksum?: number;
}

const block = 512;

/** An archive in GNU tar's format, with whatever entries. */
export function tarOf(entries: readonly Entry[]): Buffer {
  return Buffer.concat([...entries.map((entry) => entryOf(entry)), Buffer.alloc(2 * block)]);
}

/** One entry, with its content up to the end of the last block. */
export function entryOf(entry: Entry): Buffer {
  const content = Buffer.from(entry.content ?? "");
  const rest = (block - (content.length % block)) % block;
  return Buffer.concat([headerOf(entry, content.length), content, Buffer.alloc(rest)]);
}

/** The header of an entry with content of this size. */
export function headerOf(entry: Entry, size: number): Buffer {
  const header = Buffer.alloc(block);
  const put = (text: string, at: number): void => void header.write(text, at, "latin1");
  const number = (value: number, at: number, digits: number): void => put(value.toString(8).padStart(digits, "0"), at);
  put(entry.name, 0);
  number(entry.type === "5" ? 0o755 : 0o644, 100, 7);
  number(0, 108, 7);
  number(0, 116, 7);
  number(size, 124, 11);
  number(0, 136, 11);
  put(entry.type, 156);
  put(entry.target ?? "", 157);
  put(entry.magic ?? "ustar  \0", 257);
  const [major, minor] = entry.device ?? [];
  if (major !== undefined) number(major, 329, 7);
  if (minor !== undefined) number(minor, 337, 7);
  put(" ".repeat(8), 148);
  number(entry.checksum ?? header.reduce((sum, byte) => sum + byte, 0), 148, 6);
  header[154] = 0;
  return header;
}
