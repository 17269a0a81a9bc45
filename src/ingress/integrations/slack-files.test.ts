import { expect, it } from "vitest";

import { Files, imagesOf, type SentFile } from "./slack-files.ts";

const file = (mimetype: string, rest: Partial<SentFile> = {}): SentFile => ({
  mimetype,
  name: "a.png",
  size: 10,
  url_private: "https://files.slack.com/files-pri/T1-F1/a.png",
  ...rest,
});
const many = (count: number): SentFile[] => Array.from({ length: count }, () => file("image/png"));

it.each([
  { count: 0, kept: undefined, more: undefined },
  { count: 1, kept: 1, more: undefined },
  { count: 6, kept: 6, more: undefined },
  { count: 7, kept: 6, more: 1 },
  { count: 1_006, kept: 6, more: 1_000 },
  { count: 1_007, kept: 6, more: 1_000 },
])("of $count images $kept are kept, and $more more are counted", ({ count, kept, more }) => {
  const { files, moreFiles } = imagesOf(many(count));
  expect([files?.length, moreFiles]).toEqual([kept, more]);
});

it.each(["image/png", "image/jpeg", "image/webp", "image/gif"])("%s is an image", (type) => {
  expect(imagesOf([file(type)]).files?.map(({ mediaType }) => mediaType)).toEqual([type]);
});

it.each(["image/svg+xml", "application/pdf", "image/PNG", "", undefined])("%s is none, and does not count", (type) => {
  expect(imagesOf([{ ...file("image/png"), mimetype: type }, ...many(6)])).toMatchObject({ files: { length: 6 } });
  expect(imagesOf([{ ...file("image/png"), mimetype: type }])).toEqual({});
});

it("keeps where it is, the one for downloads first", () => {
  const url = "https://files.slack.com/files-pri/T1-F1/download/a.png";
  const [kept] = imagesOf([file("image/png", { url_private_download: url })]).files ?? [];
  expect(kept).toEqual({ url, mediaType: "image/png", size: 10, name: "a.png" });
});

it.each([
  { name: "no address", sent: { url_private: null } },
  { name: "an address of 1,001 characters", sent: { url_private: `https://files.slack.com/${"a".repeat(977)}` } },
])("one with $name stays, so that the person reads of it", ({ sent }) => {
  expect(imagesOf([file("image/png", sent)]).files?.map(({ url }) => url)).toEqual([""]);
});

it("a number of bytes that is none is as if Slack did not say", () => {
  expect(Files.parse([file("image/png", { size: -1 })])).toMatchObject([{ size: undefined }]);
});

it("cuts a long name, and leaves out what Slack does not say", () => {
  const [kept] = imagesOf([file("image/png", { name: "é".repeat(300), size: null })]).files ?? [];
  expect(kept).toMatchObject({ name: "é".repeat(255) });
  expect(kept).not.toHaveProperty("size");
});
