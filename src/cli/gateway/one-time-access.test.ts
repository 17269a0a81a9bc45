import type { IncomingMessage, ServerResponse } from "node:http";

import { expect, it } from "vitest";

import { systemRandom } from "../../lib/random.ts";
import { OneTimeAccess } from "./one-time-access.ts";

it("knows its browser also beside other cookies of its name, which a script on another port can add", async () => {
  const access = new OneTimeAccess({
    random: systemRandom,
    port: () => 8090,
    token: () => Promise.resolve("bearer"),
    namespace: "demo",
  });
  const headers = new Map<string, string>();
  const response = { setHeader: headers.set.bind(headers), writeHead: () => response, end: () => response };
  const address = new URL(access.address());
  await access.answer(
    { method: "GET", headers: {} } as IncomingMessage,
    response as unknown as ServerResponse,
    address,
  );
  const [own = ""] = headers.get("set-cookie")?.split(";") ?? [];
  const tokenFor = (cookie: string): Promise<string | undefined> =>
    access.token({ headers: { cookie } } as IncomingMessage);
  expect(await tokenFor(`runwright-page-8090=other; ${own}`)).toBe("bearer");
  expect(await tokenFor("runwright-page-8090=other")).toBeUndefined();
});
