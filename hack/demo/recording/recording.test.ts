import { describe, expect, it } from "vitest";

import { framesOf } from "./frames.ts";
import { terminal } from "./svg.ts";

describe("framesOf", () => {
  it("shows pauses as they were, up to 1.2 s, and lines without a stamp right after the one before", () => {
    const output = "[   0.0s] == One\n[   1.2s]    a\n            | shown\n[   9.9s]    b\n[   9.9s]    c\n";
    expect(framesOf(output).map(({ at }) => at)).toEqual([0.06, 1.26, 1.32, 2.52, 2.58]);
  });

  it("leaves out what is said again while a step goes on", () => {
    const output =
      "[   0.0s]    waiting …\n[   5.0s]    waiting: 5 s\n[  10.0s]    waiting: 10 s, left: gateway\n[  11.0s]    done";
    expect(framesOf(output).map(({ text }) => text)).toEqual(["[   0.0s]    waiting …", "[  11.0s]    done"]);
  });

  it("takes away what a terminal would act on", () => {
    expect(framesOf("\u001b[1mbold\u001b[0m\tx\u0007\u009b").map(({ text }) => text)).toEqual(["bold  x"]);
  });
});

it("shows no API key, and commits as they are", () => {
  const key = "RN23zs0Z40WkcjX_ErffW_eN4Yn6MVs7-EdtncYxAkI";
  const commit = "15f15e6498ecd94182471a5ad29199b0c9a72f81";
  expect(framesOf(`Bearer ${key}' ${commit}`).map(({ text }) => text)).toEqual([`Bearer (the key)' ${commit}`]);
});

describe("terminal", () => {
  const of = (...texts: string[]): string =>
    terminal(
      texts.map((text, at) => ({ text, at })),
      "a & b",
    );

  it("has no markup of what was printed", () => {
    const svg = of("<script>alert(1)</script> & co");
    expect(svg).toContain("&lt;script&gt;alert(1)&lt;/script&gt; &amp; co");
    expect(svg).toContain("<title>a &amp; b</title>");
    expect(svg).not.toContain("<script");
  });

  it("cuts lines at 118 characters", () => {
    expect(of("x".repeat(118))).toContain(`>${"x".repeat(118)}<`);
    expect(of("x".repeat(119))).toContain(`>${"x".repeat(117)}…<`);
  });

  it("ends with the last line as the lowest, also without motion", () => {
    const svg = of("one", "two");
    expect(svg).toContain(".lines{transform:translateY(476px);");
    expect(svg).toContain("100%{transform:translateY(476px)}");
  });

  it("moves up by a line for each, and rests 8 s", () => {
    const svg = of("one", "two", "three");
    expect(svg).toContain("animation:move 10.00s");
    expect(svg).toContain(
      "0.000%{transform:translateY(493px)}10.000%{transform:translateY(476px)}20.000%{transform:translateY(459px)}",
    );
  });
});
