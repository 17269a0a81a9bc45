import type { SeededRandom } from "../../simulation/seeded-random.ts";

/** Longest input, in bytes: what parsers do with long ones, the properties try. */
export const longestInput = 4_096;

/** Bytes and texts that parsers treat in ways of their own. */
const tokens = [
  ...["{}", "[]", "[[", '"', "\\", "\\u0000", "\\ud800", "null", "true", "-1", "0", "1e999", "9007199254740993", ""],
  ...[
    "__proto__",
    "constructor",
    "..",
    "/",
    ".",
    "-",
    "=",
    ";",
    ",",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\0",
    "\u00ff",
    "\u00ef\u00bb\u00bf",
  ],
  ..."0123456789aAzZ*@%&+:".split(""),
].map((token) => Buffer.from(token, "latin1"));

const jsonValues: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 53, 1e300, "", "a", "\0", "\u{1f600}", "\ud800", "x".repeat(300)],
  ...[[], {}, [null], { a: 1 }],
];

type Change = (input: Buffer, random: SeededRandom, other: Buffer) => Buffer;

const changes: readonly Change[] = [
  function changeByte(input, random) {
    const changed = Buffer.from(input);
    if (changed.length > 0) changed[random.below(changed.length)] = random.below(256);
    return changed;
  },
  function insertToken(input, random) {
    return splice(input, random.below(input.length + 1), 0, random.pick(tokens));
  },
  function replaceByToken(input, random) {
    return splice(input, random.below(input.length + 1), random.below(5), random.pick(tokens));
  },
  function cutOut(input, random) {
    return splice(input, random.below(input.length + 1), 1 + random.below(16), Buffer.alloc(0));
  },
  function repeatPart(input, random) {
    const from = random.below(input.length + 1);
    const part = input.subarray(from, from + 1 + random.below(64));
    const times = 1 + random.below(8);
    return splice(input, from, 0, Buffer.concat(Array.from({ length: times }, () => part)));
  },
  function takeFromOther(input, random, other) {
    const from = random.below(other.length + 1);
    const part = other.subarray(from, from + 1 + random.below(128));
    return splice(input, random.below(input.length + 1), random.below(2) * part.length, part);
  },
  changeJson,
  changeJson,
];

/** An input with one to four changes, of which some take from another input. */
export function mutate(input: Buffer, other: Buffer, random: SeededRandom): Buffer {
  let changed = input;
  for (let count = 1 + random.below(4); count > 0; count -= 1) changed = random.pick(changes)(changed, random, other);
  return changed.subarray(0, longestInput);
}

function splice(input: Buffer, at: number, remove: number, insert: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, at), insert, input.subarray(at + remove)]);
}

/** Another value, key or order somewhere in a JSON document; an input that is none stays. */
function changeJson(input: Buffer, random: SeededRandom, other: Buffer): Buffer {
  const [document, donor] = [parsed(input), parsed(other)];
  if (document === undefined) return input;
  const values = [...jsonValues, ...valuesIn(donor)];
  return Buffer.from(JSON.stringify(changeIn(document.value, random, values)));
}

function changeIn(value: unknown, random: SeededRandom, values: readonly unknown[]): unknown {
  if (typeof value !== "object" || value === null || random.happens(0.1)) return random.pick(values);
  const entries = Object.entries(value);
  const at = random.below(entries.length + 1);
  const entry = entries[at];
  const isList = Array.isArray(value);
  if (!entry) return isList ? [...(value as unknown[]), random.pick(values)] : { ...value, a: random.pick(values) };
  const changed = random.happens(0.15)
    ? entries.toSpliced(at, 1)
    : entries.with(at, [entry[0], changeIn(entry[1], random, values)]);
  return isList ? changed.map(([, one]) => one as unknown) : Object.fromEntries(changed);
}

function valuesIn(document: { value: unknown } | undefined): unknown[] {
  const value = document?.value;
  return typeof value === "object" && value !== null ? (Object.values(value) as unknown[]) : [];
}

function parsed(input: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(input.toString("utf8")) as unknown };
  } catch {
    return undefined;
  }
}
