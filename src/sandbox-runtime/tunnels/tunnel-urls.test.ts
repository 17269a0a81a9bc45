import { expect, it } from "vitest";
import { FakeClock } from "../../lib/fake-clock.ts";
import { TunnelUrls } from "./tunnel-urls.ts";

const urls = [{ port: 3000, url: "https://gateway.invalid/3000/" }];
const tunnels = { ports: [3000, 8080], waitSeconds: 30 };

it.each([
  { name: "URLs that come at 29.999 s are in time", atMs: 29_999, want: true },
  { name: "URLs that come at 30 s are not", atMs: 30_000, want: false },
])("$name", async ({ atMs, want }) => {
  const clock = new FakeClock();
  const known = new TunnelUrls();
  const waited = known.wait(tunnels, clock);
  clock.advance(atMs);
  known.set(urls);
  expect(await waited).toBe(want);
});

it.each([
  { name: "for nothing without ports", ports: [], learns: false, want: true },
  { name: "for nothing once they are known", ports: [3000], learns: true, want: true },
])("waits $name", async ({ ports, learns, want }) => {
  const known = new TunnelUrls();
  if (learns) known.set(urls);
  expect(await known.wait({ ports, waitSeconds: 30 }, new FakeClock())).toBe(want);
});

it("does not wait where the operator says 0", async () => {
  const clock = new FakeClock();
  const waited = new TunnelUrls().wait({ ports: [3000], waitSeconds: 0 }, clock);
  clock.advance(0);
  expect(await waited).toBe(false);
});

it("tells hooks and agent which ports to expect, and URLs as they become known", () => {
  const known = new TunnelUrls();
  const expected = { EXPECTED_TUNNEL_PORTS: "3000,8080", TUNNEL_WAIT_TIMEOUT_SECONDS: "30" };
  expect(known.environment(tunnels)).toEqual(expected);
  known.set(urls);
  expect(known.environment(tunnels)).toEqual({ ...expected, TUNNEL_3000: "https://gateway.invalid/3000/" });
  expect(known.environment(undefined)).toEqual({});
  expect(known.environment({ ports: [], waitSeconds: 30 })).toEqual({});
});
