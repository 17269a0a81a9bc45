import { expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import { serveHttp } from "../../../test/support/serve-http.ts";
import { systemClock } from "../../lib/clock.ts";
import { downloadFile, isAtSlack } from "./download.ts";

const get = (slackUrl: string, rest: { url?: string; longestBytes?: number; clock?: FakeClock } = {}) => {
  const { url = `${slackUrl}/file`, longestBytes = 100, clock = systemClock } = rest;
  return downloadFile({ clock, slackUrl }, { url, token: "xoxb-1", longestBytes });
};

it.each([
  { url: "https://slack.com/files/1", want: true },
  { url: "https://files.slack.com/files-pri/T1-F1/a.png", want: true },
  { url: "https://acme.enterprise.slack.com/1", want: true },
  { url: "https://FILES.SLACK.COM/1", want: true },
  { url: "http://files.slack.com/1", want: false },
  { url: "https://files.slack.com:8443/1", want: false },
  { url: "https://slack.com.evil.example/1", want: false },
  { url: "https://evilslack.com/1", want: false },
  { url: "https://files.slack.com@evil.example/1", want: false },
  { url: "https://evil.example/files.slack.com", want: false },
  { url: "https://evil.example\\.slack.com/1", want: false },
  { url: "ftp://files.slack.com/1", want: false },
  { url: "files.slack.com/1", want: false },
  { url: "", want: false },
])("$url is at Slack: $want", ({ url, want }) => {
  expect(isAtSlack(url, "https://slack.com")).toBe(want);
});

it("sends the token to Slack alone", async () => {
  const seen: (string | undefined)[] = [];
  const url = await serveHttp((request, response) => {
    seen.push(request.headers.authorization);
    response.end("x");
  });
  expect(await get("https://slack.com", { url: `${url}/file` })).toEqual({ loss: "elsewhere" });
  expect(seen).toEqual([]);
  await get(url);
  expect(seen).toEqual(["Bearer xoxb-1"]);
});

it.each([
  { bytes: 99, want: { content: Buffer.alloc(99) } },
  { bytes: 100, want: { content: Buffer.alloc(100) } },
  { bytes: 101, want: { loss: "tooLarge" } },
])("takes $bytes of at most 100 bytes, whether their number is announced or not", async ({ bytes, want }) => {
  const url = await serveHttp((request, response) => {
    if (request.url === "/length") response.setHeader("content-length", bytes);
    response.write(Buffer.alloc(50));
    response.end(Buffer.alloc(bytes - 50));
  });
  expect(await get(url, { url: `${url}/length` })).toEqual(want);
  expect(await get(url, { url: `${url}/chunks` })).toEqual(want);
});

it("stops reading where the limit is passed", async () => {
  let hasClosed = false;
  const url = await serveHttp((_request, response) => {
    response.on("close", () => (hasClosed = true));
    response.write(Buffer.alloc(200));
  });
  expect(await get(url)).toEqual({ loss: "tooLarge" });
  await expect.poll(() => hasClosed).toBe(true);
});

it.each([
  { name: "a page for signing in", status: 200, headers: { "content-type": "text/html; charset=utf-8" } },
  { name: "a redirect, which is not followed", status: 302, headers: { location: "/elsewhere" } },
  { name: "a refusal", status: 403, headers: {} },
  { name: "a file that is gone", status: 404, headers: {} },
])("$name is a file that Slack does not give", async ({ status, headers }) => {
  const seen: (string | undefined)[] = [];
  const url = await serveHttp((request, response) => {
    seen.push(request.url);
    response.writeHead(status, headers).end("<html>");
  });
  expect(await get(url)).toEqual({ loss: "withheld" });
  expect(seen).toEqual(["/file"]);
});

it.each([
  { status: 429, headers: { "retry-after": "7" }, want: { failure: "throttled", retryAfterMs: 7_000 } },
  { status: 429, headers: {}, want: { failure: "throttled", retryAfterMs: 1_000 } },
  { status: 429, headers: { "retry-after": "soon" }, want: { failure: "throttled", retryAfterMs: 1_000 } },
  { status: 500, headers: {}, want: { failure: "unavailable" } },
  { status: 503, headers: {}, want: { failure: "unavailable" } },
])("after $status it may be asked for again", async ({ status, headers, want }) => {
  const url = await serveHttp((_request, response) => void response.writeHead(status, headers).end());
  await expect(get(url)).rejects.toMatchObject(want);
});

it("may be asked for again after a connection that broke or stood still, whose error has no token", async () => {
  const url = await serveHttp((request, response) => {
    if (request.url === "/broken") request.socket.destroy();
    else response.write("x");
  });
  await expect(get(url, { url: `${url}/broken` })).rejects.toMatchObject({ failure: "unavailable" });
  const clock = new FakeClock();
  const still = get(url, { clock });
  clock.advance(30_000);
  await expect(still).rejects.toMatchObject({
    failure: "unavailable",
    message: expect.not.stringMatching("xoxb") as string,
  });
});
