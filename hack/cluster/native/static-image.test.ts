import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { run } from "../../lib/command.ts";
import { ensureStaticImage } from "./static-image.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "static-image-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("ensureStaticImage", () => {
  it("writes a docker archive whose one layer holds the program", async () => {
    const image = await makeImage("image.tar");
    const read = (member: string): Promise<string> => run("tar", ["-xOf", image, member]);
    expect(JSON.parse(await read("manifest.json"))).toEqual([
      { Config: "config.json", RepoTags: ["example.local/thing:1"], Layers: ["layer.tar"] },
    ]);
    await run("tar", ["-xf", image, "-C", folder, "layer.tar"]);
    const layer = await readFile(join(folder, "layer.tar"));
    expect(JSON.parse(await read("config.json"))).toMatchObject({
      config: { Entrypoint: ["/thing"] },
      rootfs: { diff_ids: [`sha256:${createHash("sha256").update(layer).digest("hex")}`] },
    });
    await expect(run("tar", ["-tf", join(folder, "layer.tar")])).resolves.toBe("thing\n");
  });

  it("gives the same bytes for the same program", async () => {
    const [one, other] = [await makeImage("one.tar"), await makeImage("other.tar")];
    expect((await readFile(one)).equals(await readFile(other))).toBe(true);
  });

  it("keeps an archive that is there", async () => {
    await writeFile(join(folder, "image.tar"), "kept");
    await expect(readFile(await makeImage("image.tar"), "utf8")).resolves.toBe("kept");
  });
});

async function makeImage(name: string): Promise<string> {
  const program = join(folder, "thing");
  await writeFile(program, "#!/bin/sh\n", { mode: 0o755 });
  await ensureStaticImage({ name: "example.local/thing:1", program }, join(folder, name));
  return join(folder, name);
}
