import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { type ColumnsOfKinds, type PrintedColumn, shownIn, wrongHeadings } from "./printed-tables.ts";

const root = join(import.meta.dirname, "..", "..");

interface Definition {
  spec: {
    names: { plural: string; singular: string; shortNames?: string[] };
    versions: { additionalPrinterColumns?: { name: string; priority?: number }[] }[];
  };
}

/** What Kubernetes prints of its own kinds that pages show. */
const ofKubernetes: Readonly<Record<string, readonly PrintedColumn[]>> = {
  pods: ofPriority(0, "Ready", "Status", "Restarts", "Age").concat(
    ofPriority(1, "IP", "Node", "Nominated Node", "Readiness Gates"),
  ),
  lease: ofPriority(0, "Holder", "Age"),
  secrets: ofPriority(0, "Type", "Data", "Age"),
};

function ofPriority(priority: number, ...names: string[]): PrintedColumn[] {
  return names.map((name) => ({ name, priority }));
}

async function columnsOfKinds(): Promise<ColumnsOfKinds> {
  const kinds = new Map(Object.entries(ofKubernetes));
  for (const file of await readdir(join(root, "crds"))) {
    const { spec } = parse(await readFile(join(root, "crds", file), "utf8")) as Definition;
    const columns = spec.versions[0]?.additionalPrinterColumns ?? [];
    const { plural, singular, shortNames = [] } = spec.names;
    for (const name of [plural, singular, ...shortNames])
      kinds.set(
        name,
        columns.map(({ name: heading, priority = 0 }) => ({ name: heading, priority })),
      );
  }
  return kinds;
}

const kinds = await columnsOfKinds();
const pages = (await readdir(join(root, "docs"), { recursive: true })).filter(
  (name) => name.endsWith(".md") && !name.startsWith("adr"),
);
const shown = await Promise.all(
  [...pages.map((name) => join("docs", name)), "README.md"].map(async (page) => {
    return { page, blocks: shownIn(await readFile(join(root, page), "utf8")) };
  }),
);

describe("the columns of a printed kubectl get", () => {
  it.each(shown.filter(({ blocks }) => blocks.length > 0))("are those of the definitions in $page", ({ blocks }) => {
    const wrong = blocks.flatMap((block) =>
      wrongHeadings(block, kinds).map((line) => [block.commands.join("; "), line]),
    );
    expect(wrong).toEqual([]);
  });

  it("are found in pages", () => {
    expect(shown.filter(({ blocks }) => blocks.length > 0).length).toBeGreaterThan(10);
  });
});

describe("a heading", () => {
  const some: ColumnsOfKinds = new Map([
    ["runs", [...ofPriority(0, "Last run", "Age"), ...ofPriority(1, "Message")]],
    ["pods", ofPriority(0, "Ready", "Age")],
  ]);
  const wrongIn = (page: string): string[] => shownIn(page).flatMap((block) => wrongHeadings(block, some));

  it.each([
    ["```console\n$ kubectl get runs -n shop\nNAME   LAST RUN   AGE\n```\n"],
    ["```console\n$ kubectl get runs -A -o wide\nNAMESPACE   NAME   LAST RUN   AGE   MESSAGE\n```\n"],
    ["```console\n$ kubectl get runs\nNAME   LAST RUN   …\n```\n"],
    [
      "```sh\nkubectl -n x get pods,runs\n```\n\n```text\nNAME   READY   AGE\npod/a   1/1   1m\n\nNAME   LAST RUN   AGE\n```\n",
    ],
    ["```sh\nkubectl get \\\n  runs\n```\n\n```text\nNAME   LAST RUN   AGE\n```\n"],
    ["```console\n$ kubectl runwright runs shop/a\nNAME   TRIGGER\n```\n"],
  ])("is as printed: %j", (page) => {
    expect(wrongIn(page)).toEqual([]);
  });

  it.each([
    ["a column of -o wide without it", "```console\n$ kubectl get runs\nNAME   LAST RUN   AGE   MESSAGE\n```\n"],
    ["a column too few", "```console\n$ kubectl get runs\nNAME   LAST RUN\n```\n"],
    ["no namespace of all", "```console\n$ kubectl get runs -A\nNAME   LAST RUN   AGE\n```\n"],
    ["another order", "```console\n$ kubectl get runs\nNAME   AGE   LAST RUN\n```\n"],
    ["another column before the cut", "```console\n$ kubectl get runs\nNAME   AGE   …\n```\n"],
    ["one of another kind", "```sh\nkubectl get runs\n```\n\n```text\nNAME   READY   AGE\n```\n"],
    ["one of JSON", "```console\n$ kubectl get runs -o json\nNAME   LAST RUN   AGE\n```\n"],
  ])("is wrong with %s", (_name, page) => {
    expect(wrongIn(page)).toHaveLength(1);
  });
});
