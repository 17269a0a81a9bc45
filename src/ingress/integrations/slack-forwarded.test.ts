import { expect, it } from "vitest";

import { Attachments, forwardedOf } from "./slack-forwarded.ts";

const shared = (text: string, rest: object = {}) => ({ is_share: true, text, ...rest });

const read = (...attachments: object[]) => forwardedOf(Attachments.parse(attachments)).messages;

const png = { mimetype: "image/png", url_private: "https://files.slack.com/1" };

it.each([
  { length: 4_000, want: "é".repeat(4_000) },
  { length: 4_001, want: `${"é".repeat(3_996)} […]` },
])("of $length characters at most 4,000 are kept, the mark of the cut included", ({ length, want }) => {
  expect(forwardedOf([shared("é".repeat(length))]).messages).toEqual([{ text: want }]);
});

it("of 12 the first 10 are kept", () => {
  const texts = Array.from({ length: 12 }, (_, index) => `m${index}`);
  expect(forwardedOf(texts.map((text) => shared(text))).messages.map(({ text }) => text)).toEqual(texts.slice(0, 10));
});

it("of 11 of which the third is empty the ten others are kept", () => {
  const texts = Array.from({ length: 11 }, (_, index) => (index === 2 ? " " : `m${index}`));
  expect(forwardedOf(texts.map((text) => shared(text))).messages.map(({ text }) => text)).toEqual(
    texts.filter((text) => text !== " "),
  );
});

it("a blank text is replaced by the fallback", () => {
  expect(forwardedOf([shared("  ", { fallback: "[10:02] ann: it broke" })]).messages).toEqual([
    { text: "[10:02] ann: it broke" },
  ]);
});

it("shows what people wrote in place of Slack's escapes", () => {
  expect(forwardedOf([shared("a &amp;&amp; b &lt;c&gt;")]).messages).toEqual([{ text: "a && b <c>" }]);
});

it("previews of links are no forwarded messages", () => {
  expect(
    forwardedOf([
      { text: "A page", from_url: "https://example.com" },
      { is_share: false, text: "x", files: [png] },
    ]),
  ).toEqual({ messages: [], files: [] });
});

it("keeps who wrote it, where and when", () => {
  const link = "https://acme.slack.com/archives/C1/p1";
  const rest = { author_name: "Ann", channel_name: "ops", channel_id: "C1", ts: "1767225600.123456", from_url: link };
  expect(read(shared("it broke", rest))).toEqual([
    { text: "it broke", author: "Ann", channel: "ops", channelID: "C1", ts: "1767225600.123456", link },
  ]);
});

it.each([{ ts: 1_767_225_600 }, { ts: "soon" }, { channel_id: "#ops" }, { channel_id: 5 }])(
  "goes without what Slack says in another form: %j",
  (rest) => {
    expect(read(shared("it broke", rest))).toEqual([{ text: "it broke" }]);
  },
);

it("one with a file and without a text has a text of ours, and its file joins the others", () => {
  expect(forwardedOf([shared(" ", { files: [png] })])).toEqual({ messages: [{ text: "(no text)" }], files: [png] });
});

it("files of a forwarded message beyond the first 10 are left out with it", () => {
  const all = Array.from({ length: 11 }, (_, index) => shared(`m${index}`, { files: [{ ...png, name: `${index}` }] }));
  expect(forwardedOf(all).files.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, index) => `${index}`));
});
