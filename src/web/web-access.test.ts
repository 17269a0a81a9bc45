import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { json } from "node:stream/consumers";

import { afterEach, beforeEach, expect, it } from "vitest";

import { FakeClock } from "../lib/fake-clock.ts";
import { systemRandom } from "../lib/random.ts";
import { SealedCookies } from "./sealed-cookies.ts";
import type { ProviderSignIn } from "./provider-sign-in.ts";
import { SignInSessions } from "./sign-in-session.ts";
import { SignInGate } from "./sign-in-gate.ts";
import { WebAccess } from "./web-access.ts";

let clock: FakeClock;
/** Answers of the gateway that are yet to come, by the token that it was shown. */
let reviews: { token: string | undefined; answer: () => void }[];
let isHeldUp: boolean;
let refused: number;
/** Failures that are logged. */
let logged: number;
/** Codes that the provider is asked about. */
let codes: PromiseWithResolvers<never>[];
let gateway: Server;
let page: Server;

function askProvider(): Promise<never> {
  const asked = Promise.withResolvers<never>();
  codes.push(asked);
  return asked.promise;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

beforeEach(async () => {
  [clock, reviews, codes, isHeldUp, refused, logged] = [new FakeClock(), [], [], false, 0, 0];
  gateway = createServer(({ headers }, to: ServerResponse) => {
    const token = headers.authorization?.replace("Bearer ", "");
    const answer = (): void => void to.writeHead(token === "good" ? 200 : 401).end();
    reviews.push({ token, answer });
    if (!isHeldUp) answer();
  });
  await once(gateway.listen(0, "127.0.0.1"), "listening");
  const access = new WebAccess({
    clock,
    sessions: new SignInSessions({
      cookies: new SealedCookies(new Uint8Array(32), clock),
      clock,
      random: systemRandom,
    }),
    gateway: { host: "gateway", connect: () => Promise.resolve(connect(portOf(gateway), "127.0.0.1")) },
    gate: new SignInGate(clock),
    provider: { finish: askProvider, clear: () => [] } as unknown as ProviderSignIn,
    takesTokens: true,
    namespace: "",
    onError: () => void (logged += 1),
    onRefused: () => void (refused += 1),
  });
  page = createServer((from, to) => {
    access.answer(from, to, new URL(from.url ?? "", "http://page")).catch(() => to.writeHead(502).end("{}"));
  });
  await once(page.listen(0, "127.0.0.1"), "listening");
});
afterEach(() => {
  for (const server of [page, gateway]) {
    server.closeAllConnections();
    server.close();
  }
});

/** The status of a sign-in, and the code of a refusal. */
async function signIn(token: string, localAddress = "127.0.0.1"): Promise<[number | undefined, string | undefined]> {
  const sent = request({ port: portOf(page), host: "127.0.0.1", localAddress, path: "/page/sign-in", method: "POST" });
  sent.end(JSON.stringify({ token }));
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return [answer.statusCode, ((await json(answer)) as { code?: string }).code];
}

it("has the gateway look at 16 tokens of an address at once, and at one of the next address", async () => {
  isHeldUp = true;
  const asked = Array.from({ length: 16 }, (_, at) => signIn(`junk-${at}`));
  await expect.poll(() => reviews.length).toBe(16);
  expect(await signIn("good")).toEqual([503, "Busy"]);
  const other = signIn("good", "127.0.0.2");
  await expect.poll(() => reviews.length).toBe(17);
  for (const { answer } of reviews) answer();
  expect(await Promise.all(asked)).toEqual(Array(16).fill([401, "Unauthorized"]));
  expect(await other).toEqual([200, undefined]);
  isHeldUp = false;
  expect([await signIn("good"), refused]).toEqual([[200, undefined], 1]);
});

it("waits 10 s for the gateway, and gives the places back of sign-ins that it does not answer", async () => {
  isHeldUp = true;
  const asked = Array.from({ length: 16 }, () => signIn("good"));
  await expect.poll(() => reviews.length).toBe(16);
  clock.advance(9_999);
  expect(await signIn("good")).toEqual([503, "Busy"]);
  clock.advance(1);
  expect(await Promise.all(asked)).toEqual(Array(16).fill([502, undefined]));
  isHeldUp = false;
  expect(await signIn("good")).toEqual([200, undefined]);
});

it("tries 256 tokens that are none of an address, and 4 a second from then on", async () => {
  for (let tried = 0; tried < 256; tried += 1) expect(await signIn("junk")).toEqual([401, "Unauthorized"]);
  expect(await signIn("good")).toEqual([200, undefined]);
  expect(await signIn("junk")).toEqual([401, "Unauthorized"]);
  expect(await signIn("good")).toEqual([503, "Busy"]);
  expect(await signIn("good", "127.0.0.2")).toEqual([200, undefined]);
  clock.advance(249);
  expect(await signIn("good")).toEqual([503, "Busy"]);
  clock.advance(1);
  expect(await signIn("good")).toEqual([200, undefined]);
  expect([reviews.length, refused]).toEqual([260, 2]);
});

it("asks the provider about 16 codes of an address at once, and logs nothing of the others", async () => {
  const comeBack = async (): Promise<string | undefined> => {
    const sent = request({ port: portOf(page), host: "127.0.0.1", path: "/page/provider/callback?code=junk" }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    answer.resume();
    return answer.headers.location;
  };
  const asked = Array.from({ length: 16 }, () => comeBack());
  await expect.poll(() => codes.length).toBe(16);
  expect([await comeBack(), codes.length, refused, logged]).toEqual(["/?sign-in=busy", 16, 1, 0]);
  for (const { reject } of codes) reject(new Error("junk"));
  expect(await Promise.all(asked)).toEqual(Array(16).fill("/?sign-in=failed"));
  expect(logged).toBe(16);
});
