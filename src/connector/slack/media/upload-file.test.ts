import { buffer } from "node:stream/consumers";

import { expect, it } from "vitest";

import { serveHttp } from "../../../../test/support/serve-http.ts";
import { systemClock } from "../../../lib/clock.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { uploadFile } from "./upload-file.ts";

const content = new Uint8Array([1, 2, 3]);

it("sends the bytes without a token", async () => {
  const seen: unknown[] = [];
  const url = await serveHttp((request, response) => {
    void buffer(request).then((bytes) => {
      seen.push(request.method, request.headers.authorization, [...bytes]);
      response.end("OK");
    });
  });
  await uploadFile({ clock: systemClock, slackUrl: url }, { url: `${url}/upload/v1/1`, content });
  expect(seen).toEqual(["POST", undefined, [1, 2, 3]]);
});

it("sends nothing to another host", async () => {
  let asked = 0;
  const url = await serveHttp((_, response) => {
    asked += 1;
    response.end();
  });
  const sent = uploadFile({ clock: systemClock, slackUrl: "https://slack.com" }, { url, content });
  await expect(sent).rejects.toMatchObject({ failure: "refused" });
  expect(asked).toBe(0);
});

it.each([
  [201, "refused"],
  [302, "refused"],
  [400, "refused"],
  [429, "throttled"],
  [500, "unavailable"],
])("an answer %d is %s", async (status, failure) => {
  const url = await serveHttp((_, response) => response.writeHead(status, { location: "/elsewhere" }).end());
  const sent = uploadFile({ clock: systemClock, slackUrl: url }, { url, content });
  await expect(sent).rejects.toMatchObject({ failure });
});

it("waits a minute for an answer", async () => {
  const clock = new FakeClock();
  const asked = Promise.withResolvers<undefined>();
  const url = await serveHttp(() => asked.resolve(undefined));
  const sent = uploadFile({ clock, slackUrl: url }, { url, content });
  await asked.promise;
  clock.advance(60_000);
  await expect(sent).rejects.toMatchObject({ failure: "unavailable" });
});
