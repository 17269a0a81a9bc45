import { describe, expect, it } from "vitest";

import { newestControlPlane, oldestControlPlane } from "./envtest-pins.ts";
import * as pins from "./pins.ts";
import type { Platform } from "./publication.ts";

const platforms: readonly Platform[] = ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"];
const hexadecimalDigits = { sha256: 64, sha512: 128 };

const { kindNodeImage, ...publications } = pins;

describe.each([...Object.values(publications), oldestControlPlane, newestControlPlane])("the pins of $title", (pin) => {
  it.each(platforms)("have a digest of the right length for %s", (platform) => {
    expect(pin.digests[platform]).toMatch(/^[0-9a-f]+$/);
    expect(pin.digests[platform]).toHaveLength(hexadecimalDigits[pin.algorithm]);
  });

  it.each(platforms)("name version and platform in the URL for %s, over TLS", (platform) => {
    expect(new URL(pin.url(platform)).protocol).toBe("https:");
    expect(pin.url(platform)).toContain(`v${pin.version}`);
    expect(pin.url(platform)).toContain(platform);
  });

  it("have no digest twice", () => {
    expect(new Set(Object.values(pin.digests)).size).toBe(platforms.length);
  });
});

it("kind's node has a digest, and the minor version of kubectl", () => {
  const [, minor] = /^kindest\/node:v1\.(\d+)\.\d+@sha256:[0-9a-f]{64}$/.exec(kindNodeImage) ?? [];
  expect(minor).toBe(publications.kubectl.version.split(".")[1]);
});
