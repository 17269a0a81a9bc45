import { describe, expect, it } from "vitest";
import { TokenBucket } from "./token-bucket.ts";

describe("token bucket", () => {
  const limits = { perSecond: 5, burst: 3 };

  it("gives its burst, then one each 200 ms", () => {
    const bucket = new TokenBucket();
    expect([1, 2, 3].map(() => bucket.take(limits, 1_000))).toEqual([0, 0, 0]);
    expect(bucket.take(limits, 1_000)).toBe(200);
    expect(bucket.take(limits, 1_199)).toBeCloseTo(1);
    expect(bucket.take(limits, 1_200)).toBe(0);
    expect(bucket.take(limits, 1_200)).toBeCloseTo(200);
  });

  it("never holds more than its burst", () => {
    const bucket = new TokenBucket();
    bucket.take(limits, 0);
    expect([1, 2, 3, 4].map(() => bucket.take(limits, 3_600_000) === 0)).toEqual([true, true, true, false]);
  });

  it("holds no more than its burst, whatever is given back", () => {
    const bucket = new TokenBucket();
    bucket.giveBack();
    bucket.take(limits, 0);
    bucket.giveBack();
    bucket.giveBack();
    expect([1, 2, 3, 4].map(() => bucket.take(limits, 0) === 0)).toEqual([true, true, true, false]);
  });

  it("gives a token that came back at once", () => {
    const bucket = new TokenBucket();
    for (let at = 0; at < 3; at += 1) bucket.take(limits, 0);
    bucket.giveBack();
    expect([1, 2].map(() => bucket.take(limits, 0))).toEqual([0, 200]);
  });

  it("is idle once it must be full", () => {
    const bucket = new TokenBucket();
    bucket.take(limits, 1_000);
    expect(bucket.isIdle(limits, 1_599)).toBe(false);
    expect(bucket.isIdle(limits, 1_600)).toBe(true);
  });
});
