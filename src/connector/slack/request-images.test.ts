import { beforeEach, expect, it } from "vitest";

import type { Integration, IntegrationEvent, Session, SlackEvent, SlackFile } from "../../api/v1alpha1/index.ts";
import { digestOf } from "../../domain/images/image-key.ts";
import { ProviderError } from "../provider-error.ts";
import type { Download } from "./download.ts";
import { RequestImages } from "./request-images.ts";

const integration = { metadata: {} } as Integration;
const session = { metadata: { namespace: "shop", name: "s", uid: "s1" } } as Session;
const receivedTime = "2026-01-01T00:00:00.000Z";
const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

let answers: Record<string, Download | ProviderError>;
let asked: string[];
let stored: Uint8Array[];
let hasRoom: boolean;
let images: RequestImages;
let storeFails: ProviderError | undefined;

beforeEach(() => {
  answers = {};
  asked = [];
  stored = [];
  hasRoom = true;
  storeFails = undefined;
  images = new RequestImages({
    slack: {
      download: (_integration, url) => {
        asked.push(url);
        const answer = answers[url] ?? { content: png };
        return answer instanceof ProviderError ? Promise.reject(answer) : Promise.resolve(answer);
      },
    },
    store: {
      async store(_session, content) {
        if (storeFails) throw storeFails;
        stored.push(content);
        return hasRoom ? { digest: await digestOf(content), mediaType: "image/png" } : undefined;
      },
    },
  });
});

const file = (url: string, rest: Partial<SlackFile> = {}): SlackFile => ({ url, mediaType: "image/png", ...rest });
const requestOf = (slack: Partial<SlackEvent>): IntegrationEvent =>
  ({ metadata: { uid: "e1" }, spec: { receivedTime, slack } }) as IntegrationEvent;
const read = (
  files: SlackFile[],
  { moreFiles, of = session, afterMs = 0 }: { moreFiles?: number; of?: Session | undefined; afterMs?: number } = {},
) =>
  images.read(
    integration,
    { event: requestOf({ files, ...(moreFiles !== undefined && { moreFiles }) }), session: of },
    new Date(Date.parse(receivedTime) + afterMs),
  );
const noteAfter = async (...args: Parameters<typeof read>): Promise<string | undefined> => (await read(...args)).note;

it("stores images in their order, with their names", async () => {
  const read2 = await read([file("a", { name: "a.png" }), file("b")]);
  const digest = await digestOf(png);
  expect(read2.images).toEqual([
    { digest, mediaType: "image/png", fileName: "a.png" },
    { digest, mediaType: "image/png" },
  ]);
  expect([read2.note, stored.length]).toEqual([undefined, 2]);
});

it("only looks at images while there is no session", async () => {
  const { images: seen } = await images.read(
    integration,
    { event: requestOf({ files: [file("a")] }), session: undefined },
    new Date(receivedTime),
  );
  expect([seen.length, stored.length]).toEqual([1, 0]);
});

it.each([
  { name: "further images", files: [file("a")], moreFiles: 2, note: "2 over the 6 that a request may have" },
  {
    name: "one that is said to be larger",
    files: [file("a", { size: 10_485_761 })],
    note: "1 larger than 10 MiB",
    notAsked: true,
  },
  { name: "one that is larger", files: [file("large")], note: "1 larger than 10 MiB" },
  { name: "one at another host", files: [file("elsewhere")], note: "1 not stored in Slack" },
  {
    name: "a page for signing in",
    files: [file("withheld")],
    note: "1 that Slack did not give (the app needs the permission files:read)",
  },
  { name: "an empty file", files: [file("empty")], note: "1 whose content is no PNG, JPEG, WebP or GIF" },
  { name: "a drawing", files: [file("svg")], note: "1 whose content is no PNG, JPEG, WebP or GIF" },
  {
    name: "several of them",
    files: [file("large"), file("svg"), file("large")],
    note: "2 larger than 10 MiB, 1 whose content is no PNG, JPEG, WebP or GIF",
  },
])("the person reads of $name", async ({ files, moreFiles, note, notAsked = false }) => {
  answers = {
    large: { loss: "tooLarge" },
    elsewhere: { loss: "elsewhere" },
    withheld: { loss: "withheld" },
    empty: { content: new Uint8Array() },
    svg: { content: Buffer.from("<svg/>") },
  };
  expect(await noteAfter(files, moreFiles === undefined ? {} : { moreFiles })).toBe(
    `Images that are left out: ${note}.`,
  );
  expect(asked.length === 0).toBe(notAsked);
});

it("takes one that is said to have exactly 10 MiB", async () => {
  expect((await read([file("a", { size: 10_485_760 })])).images).toHaveLength(1);
});

it("of 7 the second of which is too large 5 are left, since the first 6 are taken before", async () => {
  answers = { f1: { loss: "tooLarge" } };
  const six = Array.from({ length: 6 }, (_, index) => file(`f${index}`));
  const { images: kept, note } = await read(six, { moreFiles: 1 });
  expect([kept.length, note]).toEqual([
    5,
    "Images that are left out: 1 over the 6 that a request may have, 1 larger than 10 MiB.",
  ]);
});

it("leaves out what the gateway has no room for", async () => {
  hasRoom = false;
  expect(await noteAfter([file("a")])).toBe("Images that are left out: 1 for which there is no room.");
});

it.each([
  { failure: "unavailable", afterMs: 59_999, want: "waits" },
  { failure: "throttled", afterMs: 59_999, want: "waits" },
  { failure: "unavailable", afterMs: 60_000, want: "left out" },
  { failure: "throttled", afterMs: 60_000, want: "left out" },
  { failure: "credentials", afterMs: 60_000, want: "waits" },
] as const)("an image after $afterMs ms of $failure $want", async ({ failure, afterMs, want }) => {
  answers = { a: new ProviderError(failure, "away") };
  const outcome = await noteAfter([file("a")], { afterMs }).catch(() => "waits");
  expect(outcome === "waits" ? "waits" : "left out").toBe(want);
});

it("waits for a gateway that is away for as long as the request may wait, and blames nothing on Slack", async () => {
  storeFails = new ProviderError("unavailable", "the gateway does not answer");
  await expect(read([file("a")], { afterMs: 3_599_000 })).rejects.toBe(storeFails);
});

it("remembers what it read for a session, and not what failed", async () => {
  answers = { a: new ProviderError("unavailable", "away") };
  await expect(read([file("a")])).rejects.toThrow();
  answers = {};
  const first = await read([file("a")]);
  expect(await read([file("a")])).toBe(first);
  expect(asked).toEqual(["a", "a"]);
  await read([file("a")], { of: { metadata: { ...session.metadata, uid: "s2" } } as Session });
  expect(stored).toHaveLength(2);
});

it("looks again at what it left out while there was no session", async () => {
  answers = { a: { loss: "withheld" } };
  const look = () =>
    images.read(integration, { event: requestOf({ files: [file("a")] }), session: undefined }, new Date(receivedTime));
  expect((await look()).images).toEqual([]);
  answers = {};
  expect((await look()).images).toHaveLength(1);
});

/** What becomes of requests that come at once, each of an Integration. */
async function readAtOnce(ofIntegrations: readonly string[]): Promise<(number | undefined)[]> {
  const ended = await Promise.allSettled(
    ofIntegrations.map((of, index) =>
      images.read(
        { metadata: { uid: of } } as Integration,
        { event: { ...requestOf({ files: [file("a")] }), metadata: { uid: `e${index}` } }, session },
        new Date(receivedTime),
      ),
    ),
  );
  return ended.map((one) =>
    one.status === "fulfilled" ? 0 : (one.reason as ProviderError & { retryAfterMs?: number }).retryAfterMs,
  );
}

it("reads images of two requests of an Integration at a time, and no other Integration waits for those", async () => {
  expect(await readAtOnce(["one", "one", "one", "other", "other"])).toEqual([0, 0, 1_000, 0, 0]);
  expect(await readAtOnce(["one"])).toEqual([0]);
});

it("reads images of eight requests at a time, each of which is in memory", async () => {
  const nine = Array.from({ length: 9 }, (_, index) => `i${index}`);
  expect(await readAtOnce(nine)).toEqual([...Array.from({ length: 8 }, () => 0), 1_000]);
});
