import { UnsecuredJWT } from "jose";
import { expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import { systemRandom } from "../lib/random.ts";
import { SealedCookies } from "./sealed-cookies.ts";
import { SignInSessions } from "./sign-in-session.ts";

const start = "2026-03-31T12:00:00Z";
const startSeconds = Date.parse(start) / 1_000;

function makeSessions(): { sessions: SignInSessions; clock: FakeClock } {
  const clock = new FakeClock(start);
  const cookies = new SealedCookies(new Uint8Array(32), clock);
  return { sessions: new SignInSessions({ cookies, clock, random: systemRandom }), clock };
}

function sent(cookies: readonly string[]): { headers: { cookie: string } } {
  const pairs = cookies.map((cookie) => cookie.split(";")[0]!).filter((pair) => !pair.endsWith("="));
  return { headers: { cookie: pairs.join("; ") } };
}

it("a browser that signs out is signed out, and so is a copy of its cookie", async () => {
  const { sessions } = makeSessions();
  const cookies = await sessions.begin("mine");
  const others = await sessions.begin("mine");
  expect(await sessions.token(sent(cookies))).toBe("mine");
  const removed = await sessions.end(sent(cookies));
  expect(removed.every((cookie) => cookie.includes("Max-Age=0"))).toBe(true);
  expect(await sessions.token(sent(cookies))).toBeUndefined();
  expect(await sessions.token(sent(others))).toBe("mine");
});

it.each([
  ["an hour for a token that does not say its end", "opaque", 3_600],
  ["an hour for a token of a day", tokenUntil(86_400), 3_600],
  ["as long as a token that ends sooner", tokenUntil(600), 600],
  ["not at all for one that has ended", tokenUntil(-1), 0],
])("lasts %s", async (_, token, seconds) => {
  const { sessions, clock } = makeSessions();
  const cookies = await sessions.begin(token);
  clock.advance(Math.max(0, seconds * 1_000 - 1_000));
  expect(await sessions.token(sent(cookies))).toBe(seconds === 0 ? undefined : token);
  clock.advance(1_000);
  expect(await sessions.token(sent(cookies))).toBeUndefined();
});

function tokenUntil(seconds: number): string {
  return new UnsecuredJWT({}).setExpirationTime(startSeconds + seconds).encode();
}
