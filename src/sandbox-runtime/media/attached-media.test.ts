import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import type { ChildAnswer } from "../../api/runtime/children.ts";
import { mediaLimits } from "../../api/v1alpha1/prompt-media.ts";
import { AttachedMedia } from "./attached-media.ts";

/** A picture that no other with another mark is like. */
const png = (mark: string, bytes = 100): Buffer =>
  Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(bytes - 8, mark)]);

/** Files of one prompt; the gateway answers as the test says, and else takes all. */
function anAnswer(answers: (ChildAnswer | Error)[] = []) {
  const put: Buffer[] = [];
  const media = new AttachedMedia("p", {
    put(promptUid, content) {
      expect(promptUid).toBe("p");
      put.push(content);
      const answer = answers.shift() ?? { status: 201, body: {} };
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
  const attach = async (content: Buffer, fileName = "a.png"): Promise<number> =>
    (await media.attach({ fileName, bytes: content.length }, () => Promise.resolve(content))).status;
  return { media, put, attach };
}

it("tells nothing where nothing was attached", () => expect(anAnswer().media.report).toBeUndefined());

it("tells of what the gateway has taken, with a name in one line", async () => {
  const { media, attach } = anAnswer();
  expect(await attach(png("a"), "/w/ch\u202eart\n.png")).toBe(201);
  expect(media.report).toMatchObject({
    files: [{ fileName: "chart .png", mediaType: "image/png", bytes: 100 }],
    leftOut: 0,
  });
});

it("sends a file once that is attached again, and again where the gateway did not take it", async () => {
  const { media, put, attach } = anAnswer([{ status: 503, body: {} }]);
  expect([await attach(png("a")), media.report?.leftOut]).toEqual([503, 1]);
  expect([await attach(png("a")), await attach(png("a"))]).toEqual([201, 201]);
  expect([put.length, media.report?.files.length, media.report?.leftOut]).toEqual([2, 1, 0]);
});

it("leaves out what is too large without reading it, other formats, and what comes after five", async () => {
  const { media, put, attach } = anAnswer();
  const unread = (): Promise<Buffer> => Promise.reject(new Error("read"));
  expect((await media.attach({ fileName: "a", bytes: mediaLimits.bytes + 1 }, unread)).body.code).toBe("LeftOut");
  expect(await attach(Buffer.from("text"))).toBe(400);
  for (const mark of ["a", "b", "c"]) expect(await attach(png(mark))).toBe(201);
  expect(await attach(png("d"))).toBe(409);
  expect([put.length, media.report?.files.length, media.report?.leftOut]).toEqual([3, 3, 3]);
});

it("counts a file of which the gateway says nothing, and one that broke off is none", async () => {
  const { media, attach } = anAnswer([new Error("gone")]);
  expect(await attach(png("a"))).toBe(400);
  const broken = media.attach({ fileName: "b", bytes: 9 }, () => Promise.reject(new Error("broken off")));
  expect((await broken).status).toBe(400);
  expect(media.report).toEqual({ files: [], leftOut: 1 });
});

it("has one file in memory at a time", async () => {
  const { media } = anAnswer();
  const first = Promise.withResolvers<Buffer>();
  const asked: string[] = [];
  const content = (name: string, given: Promise<Buffer>) => (): Promise<Buffer> => {
    asked.push(name);
    return given;
  };
  const file = { fileName: "a.png", bytes: 100 };
  const answers = [
    media.attach(file, content("first", first.promise)),
    media.attach(file, content("second", Promise.resolve(png("b")))),
  ];
  await Promise.resolve();
  expect(asked).toEqual(["first"]);
  first.resolve(png("a"));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([201, 201]);
  expect(asked).toEqual(["first", "second"]);
});

it.each([
  [mediaLimits.counted - 1, mediaLimits.counted],
  [mediaLimits.counted, mediaLimits.counted],
])("counts at most 1,000 files: after %d and another one %d", async (before, want) => {
  const { media } = anAnswer();
  const large = { fileName: "a", bytes: mediaLimits.bytes + 1 };
  for (let file = 0; file <= before; file += 1) await media.attach(large, () => Promise.reject(new Error("read")));
  expect(media.report?.leftOut).toBe(want);
});
