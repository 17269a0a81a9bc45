import { describe, expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import { SealedCookies } from "./sealed-cookies.ts";

const start = "2026-03-31T12:00:00Z";
const key = new Uint8Array(32).fill(7);

function sent(cookies: readonly string[]): { headers: { cookie: string } } {
  const pairs = cookies.map((cookie) => cookie.split(";")[0]!).filter((pair) => !pair.endsWith("="));
  return { headers: { cookie: pairs.join("; ") } };
}

describe("sealed cookies", () => {
  it("give back what they were made of, and show nothing of it", async () => {
    const cookies = new SealedCookies(key, new FakeClock(start));
    const made = await cookies.seal("session", { token: "secret-token" }, 60);
    expect(made.join()).not.toContain("secret");
    expect(made[0]).toMatch(/^__Host-runwright-session-0=\S+; Path=\/; Max-Age=60; Secure; HttpOnly; SameSite=Lax$/);
    expect(await cookies.open("session", sent(made))).toMatchObject({ token: "secret-token" });
  });

  it.each([
    [2_700, 1],
    [3_000, 2],
    [8_192, 3],
    [10_900, 4],
  ])("hold a token of %d characters in %d pieces that browsers take", async (characters, want) => {
    const cookies = new SealedCookies(key, new FakeClock(start));
    const made = await cookies.seal("session", { token: "x".repeat(characters) }, 60);
    expect(made.filter((cookie) => !cookie.includes("Max-Age=0"))).toHaveLength(want);
    expect(made.every((cookie) => cookie.split(";")[0]!.length <= 4_096)).toBe(true);
    expect(await cookies.open("session", sent(made))).toMatchObject({ token: "x".repeat(characters) });
  });

  it("are not made for more than browsers can send back", async () => {
    const cookies = new SealedCookies(key, new FakeClock(start));
    await expect(cookies.seal("session", { token: "x".repeat(12_000) }, 60)).rejects.toThrow(RangeError);
  });

  it("are worth nothing when cut, changed, made elsewhere, for something else or expired", async () => {
    const clock = new FakeClock(start);
    const cookies = new SealedCookies(key, clock);
    const made = await cookies.seal("session", { token: "x".repeat(3_000) }, 60);
    const [first = "", second = ""] = made;
    expect(await cookies.open("session", sent([first]))).toBeUndefined();
    expect(await cookies.open("session", sent([second]))).toBeUndefined();
    expect(await cookies.open("session", sent([first.replace(/.(?=; Path)/, "!"), second]))).toBeUndefined();
    expect(
      await cookies.open("provider", sent(made.map((one) => one.replace("-session-", "-provider-")))),
    ).toBeUndefined();
    const other = new SealedCookies(new Uint8Array(32).fill(8), clock);
    expect(await other.open("session", sent(made))).toBeUndefined();
    clock.advance(59_000);
    expect(await cookies.open("session", sent(made))).toBeDefined();
    clock.advance(1_000);
    expect(await cookies.open("session", sent(made))).toBeUndefined();
  });
});
