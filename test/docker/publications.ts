import { createHash } from "node:crypto";
import { copyFile, link, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { ensureKind, ensureKubernetes } from "../../hack/cluster/cluster.ts";
import { run } from "../../hack/lib/command.ts";
import { whileReporting, type Progress } from "../../hack/lib/progress.ts";
import { controlPlane, helm, kind, kubectl } from "../../hack/toolchain/fetch/pins.ts";
import { thisPlatform, wholeDownload, type Publication } from "../../hack/toolchain/fetch/publication.ts";
import { ensureHelm } from "../../hack/toolchain/helm.ts";

const publications = { controlPlane, helm, kind, kubectl };

/** What a publisher has, by the name in the table of pins. */
export type Offer = Record<string, Offered>;

interface Offered {
  /** In its URL. */
  path: string;
  file: string;
  /** What its pin says besides the URL and the programs. */
  facts: Record<string, unknown>;
  programs: Readonly<Record<string, string>>;
}

/** Packs programs that this machine has or builds as their publishers do, into a new folder. */
export async function writeOffer(folder: string, progress: Progress): Promise<Offer> {
  const { kubectl } = await ensureKubernetes(progress);
  // Kubernetes is one program, whatever its name.
  const kubernetes = { kubectl, etcd: kubectl, "kube-apiserver": kubectl };
  const programs = { kind: await ensureKind(progress), helm: await ensureHelm(progress), ...kubernetes };
  return whileReporting(progress, "packing programs as their publishers do", async () => {
    const offered = Object.entries(publications).map(async ([name, publication]) => {
      return [name, await pack(name, publication, programs, join(folder, name))] as const;
    });
    return Object.fromEntries(await Promise.all(offered));
  });
}

/** The text of a table of pins for what a publisher has at an origin. */
export function pinsOf(offer: Offer, origin: string, kindNodeImage: string): string {
  const lines = Object.entries(offer).map(([name, { path, facts, programs }]) => {
    const functions = `url: () => ${JSON.stringify(origin + path)}, programs: () => (${JSON.stringify(programs)})`;
    return `export const ${name} = { ...${JSON.stringify(facts)}, ${functions} };`;
  });
  return [...lines, `export const kindNodeImage = ${JSON.stringify(kindNodeImage)};`, ""].join("\n");
}

async function pack(
  name: string,
  { title, version, programs: programsFor }: Publication,
  sources: Readonly<Record<string, string>>,
  folder: string,
): Promise<Offered> {
  const platform = thisPlatform();
  const programs = programsFor(platform as "linux-amd64");
  const file = await write(programs, sources, folder);
  const digest = createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
  const facts = { title, version, source: "this test", algorithm: "sha256", digests: { [platform]: digest } };
  return { path: `/${name}`, file, facts, programs };
}

async function write(
  programs: Readonly<Record<string, string>>,
  sources: Readonly<Record<string, string>>,
  folder: string,
): Promise<string> {
  const written = new Map<string, string>();
  for (const [name, member] of Object.entries(programs)) {
    const source = sources[name];
    if (source === undefined) throw new Error(`there is no program ${name} to publish`);
    if (member === wholeDownload) return source;
    const path = join(folder, member);
    await mkdir(dirname(path), { recursive: true });
    // A second name of the same program takes no room.
    const before = written.get(source);
    await (before === undefined ? copyFile(source, path) : link(before, path));
    written.set(source, path);
  }
  const archive = join(folder, "archive");
  const how = ["--create", "--use-compress-program=gzip -1", "--file", archive];
  await run("tar", [...how, ...Object.values(programs)], { cwd: folder });
  return archive;
}
