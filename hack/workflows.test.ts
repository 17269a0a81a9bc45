import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "..");
const folder = join(root, ".github", "workflows");
const exact = /^v?\d+\.\d+\.\d+$/;

interface Step {
  uses?: string;
  with?: Record<string, unknown>;
}

async function stepsOf(file: string): Promise<Step[]> {
  const { jobs } = parse(await readFile(join(folder, file), "utf8")) as { jobs: Record<string, { steps: Step[] }> };
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

/** What an action is told of a version, or of an image with one. */
function versionsIn({ with: given = {} }: Step): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (/(^|-)(version|release)$/.test(name)) return [String(value)];
    return name === "image" || name === "driver-opts" ? [String(value).replace(/^.*:(qemu-)?/, "")] : [];
  });
}

describe.each(await readdir(folder))("%s", (file) => {
  it("takes actions by their commits", async () => {
    const used = (await stepsOf(file)).flatMap(({ uses }) => uses ?? []);
    expect(used).not.toEqual([]);
    expect(used.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });

  it("names tools by exact versions", async () => {
    const versions = (await stepsOf(file)).flatMap(versionsIn);
    expect(versions).not.toEqual([]);
    expect(versions.filter((version) => !exact.test(version))).toEqual([]);
  });

  it("says a version to each action that would take the newest of a tool", async () => {
    const silent = (await stepsOf(file)).filter((step) => {
      return /setup-(node|go|qemu-action|buildx-action)@/.test(step.uses ?? "") && versionsIn(step).length === 0;
    });
    expect(silent).toEqual([]);
  });

  it("has the Node that develops it", async () => {
    const [, wanted] =
      /^const nodeVersion = "(.+)";$/m.exec(await readFile(join(root, "hack", "run.mjs"), "utf8")) ?? [];
    const used = (await stepsOf(file)).flatMap((step) => step.with?.["node-version"] ?? []);
    expect([...new Set(used)]).toEqual([wanted]);
  });
});
