import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

import { expect, it, onTestFinished } from "vitest";

import { FakeClock } from "../lib/fake-clock.ts";
import { systemRandom } from "../lib/random.ts";
import { ProviderSignIn } from "./provider-sign-in.ts";
import { SealedCookies } from "./sealed-cookies.ts";

it("a provider that does not answer is asked once a second, however many want to sign in", async () => {
  let asked = 0;
  const away = createServer((socket) => {
    asked += 1;
    socket.destroy();
  });
  await once(away.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void away.close());
  const clock = new FakeClock();
  const issuer = `https://127.0.0.1:${(away.address() as AddressInfo).port}`;
  const signIn = new ProviderSignIn({
    config: { issuer, clientId: "page", scopes: "openid", pageUrl: "https://page.example" },
    cookies: new SealedCookies(new Uint8Array(32), clock),
    clock,
    random: systemRandom,
  });
  const begin = (): Promise<unknown> => signIn.begin("/");
  const begins = await Promise.allSettled([begin(), begin()]);
  expect(begins.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  clock.advance(999);
  await expect(begin()).rejects.toThrow();
  expect(asked).toBe(1);
  clock.advance(1);
  await expect(begin()).rejects.toThrow();
  await expect(begin()).rejects.toThrow();
  expect(asked).toBe(2);
});
