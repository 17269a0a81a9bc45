import { mediaLimits, mediaTypes } from "../../../../src/api/v1alpha1/prompt-media.ts";
import { shownFileName } from "../../../../src/domain/media/file-name.ts";
import { endingOf, mediaName, parseMediaName } from "../../../../src/domain/media/media-name.ts";
import { attachedTypeOf } from "../../../../src/domain/media/media-type.ts";
import { countCharacters } from "../../../../src/lib/characters.ts";
import { bounded } from "../../property.ts";
import { must, type Target } from "../target.ts";
import { imageBeginnings } from "./slack-files.ts";

const video = /^[^]{4}ftyp(?:iso[m2-9a-c]|mp4[12]|avc1|M4V |dash)[^]{4}/;
const beginnings = [...imageBeginnings, { mediaType: "video/mp4", begins: (text: string) => video.test(text) }];

const content: Target = {
  name: "media-content",
  seeds: [
    "\x89PNG\r\n\x1a\n",
    "\xff\xd8\xff\xe0",
    "GIF89a",
    "RIFF\0\0\0\0WEBPVP8 ",
    "\0\0\0\x18ftypisom\0\0\x02\0isommp41",
    "\0\0\0\x14ftypqt  \0\0\x02\0qt  ",
    "\0\0\0\x10ftypM4V \0\0\0\0",
    "\0\0\0\x01ftypdash\0\0\0\0\0\0\0\x18",
    "\xff\xff\xff\xffftypavc1\0\0\0\0",
    "<svg>",
  ].map((text) => Buffer.from(text, "latin1")),
  take(input) {
    const text = input.toString("latin1");
    const mediaType = attachedTypeOf(input);
    const wanted = beginnings.find(({ begins }) => begins(text))?.mediaType;
    const box = input.length < 4 ? 0 : input.readUInt32BE(0);
    // The first box of a video lies within the file.
    const isWhole = wanted !== "video/mp4" || (box >= 16 && box <= input.length);
    must(mediaType === (isWhole ? wanted : undefined), "a file's type is what its bytes begin with");
    const within = Buffer.concat([Buffer.alloc(3, "x"), input, Buffer.alloc(16, "x")]).subarray(3, 3 + input.length);
    must(attachedTypeOf(within) === mediaType, "what lies around a file's bytes does not count");
  },
};

const misleading = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/u;

const fileName: Target = {
  name: "media-file-name",
  seeds: [
    "chart.png",
    "photo.JPG",
    "../../etc/passwd",
    "C:\\temp\\clip.mp4",
    "evil\u202egnp.exe",
    "a\r\nb\u0007\u001b[2J\u001b]0;t\u0007.gif",
    ".webp",
    "",
    " \u200f ",
    `${"\ud834\udd1e".repeat(100)}.jpeg`,
    "\ud834.png",
  ],
  take(input) {
    const name = input.toString("utf8");
    for (const mediaType of mediaTypes) {
      const shown = bounded(() => shownFileName(name, mediaType));
      const characters = countCharacters(shown);
      must(characters >= 1 && characters <= mediaLimits.fileNameCharacters, "a Prompt takes the name");
      must(shown.isWellFormed() && !misleading.test(shown), "a name misleads no reader");
      must(!/[/\\]/.test(shown) && ![".", ".."].includes(shown), "a name has no folders");
      const endings = mediaType === "image/jpeg" ? [".jpeg", ".jpg"] : [`.${endingOf(mediaType)}`];
      const ending = endings.find((one) => shown.toLowerCase().endsWith(one));
      must(ending !== undefined && shown.length > ending.length, "a name ends as its type does");
      must(shownFileName(shown, mediaType) === shown, "a name that is shown again stays as it is");
    }
  },
};

const digits = "0123456789abcdef".repeat(4);

const name: Target = {
  name: "media-name",
  seeds: [
    ...mediaTypes.map((mediaType) => `${digits}.${endingOf(mediaType)}`),
    `${digits}.jpg`,
    `${digits.toUpperCase()}.png`,
    `../${digits}.png`,
    `${digits}.png/..`,
    `${digits}.png\n`,
    `${digits}.constructor`,
  ],
  take(input) {
    const text = input.toString("utf8");
    const file = parseMediaName(text);
    if (file) must(mediaName(file) === text, "a name that is read is the only one of its file");
    const isName = /^[0-9a-f]{64}\.(?:png|jpeg|webp|gif|mp4)$/.test(text);
    must((file !== undefined) === isName, "no other text is the name of a file");
  },
};

/** What decides about files that agents attach: their first bytes, their names for people, and their names in paths. */
export const mediaTargets: readonly Target[] = [content, fileName, name];
