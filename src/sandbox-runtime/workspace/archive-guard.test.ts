import { expect, it } from "vitest";

import { type Entry, tarOf } from "../../../test/support/tar.ts";
import { type ArchiveBounds, guarded } from "./archive-guard.ts";

const bounds: ArchiveBounds = { entries: 100, bytes: 1_000_000 };

/** Passes an archive through in pieces of this size; gives what came out of each folder. */
async function parted(archive: Buffer, within: Partial<ArchiveBounds> = {}, size = archive.length) {
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < archive.length; at += size) yield await Promise.resolve(archive.subarray(at, at + size));
  };
  const out: Record<"workspace" | "home", Uint8Array[]> = { workspace: [], home: [] };
  for await (const { folder, bytes } of guarded(pieces(), { ...bounds, ...within })) out[folder].push(bytes);
  return { workspace: Buffer.concat(out.workspace), home: Buffer.concat(out.home) };
}

/** The same, of an archive that has no home. */
const passed = async (...archive: Parameters<typeof parted>): Promise<Buffer> => (await parted(...archive)).workspace;

const file = (name: string, content = ""): Entry => ({ type: "0", name, content });
const long = `./${"n".repeat(150)}`;

it.each<{ name: string; entries: Entry[] }>([
  {
    name: "files, folders, FIFOs and links",
    entries: [{ type: "5", name: "./d/" }, file("./d/f", "x"), { type: "6", name: "./p" }],
  },
  {
    name: "links to anywhere",
    entries: [
      { type: "2", name: "./l", target: "/etc/passwd" },
      { type: "2", name: "./m", target: "../.." },
    ],
  },
  { name: "a hard link within the folder", entries: [file("./f", "x"), { type: "1", name: "./g", target: "./f" }] },
  { name: "a whiteout", entries: [{ type: "3", name: "./w", device: [0, 0] }] },
  {
    name: "long names",
    entries: [{ type: "L", name: "././@LongLink", content: `${long}\0` }, file(long.slice(0, 100), "x".repeat(513))],
  },
  { name: "names that only look like a way out", entries: [file("./..f"), file("./f.."), file("./a/...")] },
])("lets $name pass as they are, however the pieces fall", async ({ entries }) => {
  const archive = tarOf(entries);
  for (const size of [archive.length, 512, 511, 7]) expect(await passed(archive, {}, size)).toEqual(archive);
});

const home = (entry: Entry): Entry => ({ ...entry, name: entry.name.replace("./", ".runwright-home/") });
const longHome: Entry[] = [
  { type: "K", name: "././@LongLink", content: `${long}\0` },
  { type: "L", name: "././@LongLink", content: `.runwright-home/${long}\0` },
  { type: "2", name: "x", target: "y" },
];

it.each<{ name: string; workspace: Entry[]; home: Entry[] }>([
  { name: "both", workspace: [file("./a", "x".repeat(600))], home: [home(file("./a", "y")), home(file("./b", "z"))] },
  { name: "a home that begins with a long name", workspace: [file("./a", "x")], home: longHome },
  { name: "an empty workspace", workspace: [], home: [home(file("./a", "y"))] },
  { name: "an empty home", workspace: [file("./a", "x")], home: [] },
])("knows the home's entries from the workspace's: $name", async ({ workspace, home }) => {
  const [first, second] = [tarOf(workspace), tarOf(home)];
  const archive = Buffer.concat([first, second]);
  const want = home.length > 0 ? { workspace: first, home: second } : { workspace: archive, home: Buffer.alloc(0) };
  for (const size of [archive.length, 513, 512, 511, 7]) expect(await parted(archive, {}, size)).toEqual(want);
});

it.each<{ name: string; archive: Buffer }>([
  { name: "a header", archive: tarOf([file("./a")]).subarray(0, 511) },
  { name: "a long name", archive: tarOf([{ type: "L", name: "././@LongLink", content: long }]).subarray(0, 1_023) },
  {
    name: "a long name's entry",
    archive: tarOf([{ type: "L", name: "././@LongLink", content: long }]).subarray(0, 1_024),
  },
  { name: "content", archive: tarOf([file("./a", "x")]).subarray(0, 1_023) },
])("refuses an archive that ends within $name", async ({ archive }) => {
  await expect(passed(archive)).rejects.toThrow("ends within an entry");
});

it.each([
  { bytes: 65_536, isRefused: false },
  { bytes: 65_537, isRefused: true },
])("a name of $bytes bytes, of 65,536 that it may have", async ({ bytes, isRefused }) => {
  const archive = tarOf([{ type: "L", name: "././@LongLink", content: "./".padEnd(bytes, "n") }, file("./x")]);
  const passing = passed(archive, {}, 4_096);
  await (isRefused ? expect(passing).rejects.toThrow("name that is too long") : passing);
});

it.each<{ name: string; entries: Entry[]; why: string }>([
  { name: "an absolute path", entries: [file("/tmp/x")], why: "out of its folder" },
  { name: "a path with ..", entries: [file("./a/../../x")], why: "out of its folder" },
  {
    name: "a long path with ..",
    entries: [{ type: "L", name: "././@LongLink", content: `../${long}\0` }, file("./x")],
    why: "out of its folder",
  },
  {
    name: "a hard link out of it",
    entries: [file("./x"), { type: "1", name: "./g", target: "../../etc/passwd" }],
    why: "out of its folder",
  },
  { name: "a block device", entries: [{ type: "4", name: "./d", device: [7, 0] }], why: 'type "4"' },
  { name: "a character device", entries: [{ type: "3", name: "./d", device: [1, 3] }], why: "a device" },
  {
    name: "a file below a link",
    entries: [{ type: "2", name: "./l", target: "/tmp" }, file("./l/x")],
    why: "below a link",
  },
  {
    name: "a file below a hard link to a link",
    entries: [{ type: "2", name: "l", target: "/tmp" }, { type: "1", name: "./m", target: "./l" }, file("./m/x")],
    why: "below a link",
  },
  { name: "an extended header", entries: [{ type: "x", name: "./x", content: "20 path=../../x\n" }], why: 'type "x"' },
  { name: "a folder with content", entries: [{ type: "5", name: "./d", content: "x" }], why: "content" },
  { name: "another format", entries: [{ ...file("./x"), magic: "ustar\0" + "00" }], why: "format" },
  { name: "a workspace behind the home", entries: [home(file("./a")), file("./b")], why: "behind the home's" },
  {
    name: "two names of one entry",
    entries: [
      { type: "L", name: "././@LongLink", content: long },
      { type: "L", name: "././@LongLink", content: `${long}n` },
      file("./x"),
    ],
    why: "two names",
  },
  { name: "an empty long name", entries: [{ type: "L", name: "././@LongLink" }, file("./x")], why: "empty" },
  { name: "zeros behind a long name", entries: [{ type: "K", name: "././@LongLink", content: long }], why: "format" },
  { name: "a wrong checksum", entries: [{ ...file("./x"), checksum: 1 }], why: "checksum" },
])("refuses $name", async ({ entries, why }) => {
  await expect(passed(tarOf(entries))).rejects.toMatchObject({
    name: "ArchiveRefusedError",
    message: expect.stringContaining(why) as unknown,
  });
});

it.each([
  { count: 99, isRefused: false },
  { count: 100, isRefused: false },
  { count: 101, isRefused: true },
])("of at most 100 entries: $count", async ({ count, isRefused }) => {
  const archive = passed(tarOf(Array.from({ length: count }, (_, index) => file(`./${index}`))));
  await (isRefused ? expect(archive).rejects.toThrow("more than 100 entries") : archive);
});

it.each([
  { bytes: 1_999, isRefused: true },
  { bytes: 2_000, isRefused: false },
  { bytes: 2_001, isRefused: false },
])("two files of 1,000 bytes where $bytes may be", async ({ bytes, isRefused }) => {
  const archive = passed(tarOf([file("./a", "a".repeat(1_000)), file("./b", "b".repeat(1_000))]), { bytes });
  await (isRefused ? expect(archive).rejects.toThrow(`more than ${bytes} bytes`) : archive);
});
