import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import gitHubExamples from "@octokit/webhooks-examples";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";

import type { Automation } from "../../../src/api/v1alpha1/index.ts";
import { testApi, testCluster } from "../../support/cluster.ts";
import { runPlugin } from "../../support/cli.ts";
import { runsOf } from "./automations.ts";
import { type KeyWorld, openKeyWorld } from "./key-world.ts";
import { receipt } from "./sender.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const pages = join(root, "docs", "use", "senders");
const payloads = join(root, "test", "fixtures", "payloads");

/** Writes what the sender of a page would send; a script writes its own. */
const bodies: Record<string, (file: string) => Promise<void>> = {
  github: (file) => writeFile(file, JSON.stringify(openedPullRequest())),
  gitlab: (file) => cp(join(payloads, "gitlab-merge-request.json"), file),
  alertmanager: (file) => cp(join(payloads, "alertmanager-v4.json"), file),
  grafana: (file) => cp(join(payloads, "grafana-alert.json"), file),
  shell: () => Promise.resolve(),
};

// The package is a JSON file, whose types say that it is a module.
const gitHubEvents = gitHubExamples as unknown as typeof gitHubExamples.default;

function openedPullRequest(): object {
  const { examples = [] } = gitHubEvents.find(({ name }) => name === "pull_request") ?? {};
  const opened = examples.filter((example) => "action" in example && example.action === "opened");
  const found = opened.find((example) => "pull_request" in example && !example.pull_request.draft);
  if (!found) throw new Error("there is no example of a pull request that was opened");
  return found;
}

interface Page {
  manifest: Automation;
  /** Lines that call the plugin. */
  commands: string[];
  /** What sends a delivery. */
  send: string;
  /** What it is answered. */
  answer: unknown;
}

/** The blocks of a page, with a namespace of the test's in place of shop. */
function readPage(text: string, namespace: string): Page {
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", content = ""]) => ({
    language,
    content: content.replaceAll("namespace: shop", `namespace: ${namespace}`).replaceAll(" shop/", ` ${namespace}/`),
  }));
  const of = (language: string): string[] =>
    blocks.filter((one) => one.language === language).map((one) => one.content);
  const send = of("sh").find((content) => /^curl /m.test(content));
  const [answer = ""] = of("json");
  return {
    manifest: parse(of("yaml")[0] ?? "") as Automation,
    commands: of("sh").flatMap((content) =>
      content.split("\n").filter((line) => line.startsWith("kubectl runwright ")),
    ),
    send: send ?? "",
    answer: JSON.parse(answer),
  };
}

let keyWorld: KeyWorld;
let folder: string;
beforeAll(async () => {
  keyWorld = await openKeyWorld(1);
  folder = await mkdtemp(join(tmpdir(), "senders-"));
});
afterAll(async () => {
  await keyWorld.close();
  await rm(folder, { recursive: true, force: true });
});

it("there is a body for each page", async () => {
  expect((await readdir(pages)).sort()).toEqual(
    Object.keys(bodies)
      .map((name) => `${name}.md`)
      .sort(),
  );
});

describe.each(Object.keys(bodies))("the page on %s", (name) => {
  it("leads from its Automation and key to a Run, and its repeat to none", async () => {
    const { namespace, replica } = keyWorld.world;
    const page = readPage(await readFile(join(pages, `${name}.md`), "utf8"), namespace);
    const objectName = `${page.manifest.metadata.name ?? ""}-${name}`;
    const metadata = { ...page.manifest.metadata, name: objectName };
    const collection = `/apis/runwright.dev/v1alpha1/namespaces/${namespace}/automations`;
    const created = await testApi().send("POST", collection, { ...page.manifest, metadata });
    expect(created).toMatchObject({ status: 201 });
    const { uid = "" } = (created.body as Automation).metadata;

    const [create = "", explain = ""] = page.commands;
    const argv = (line: string): string[] =>
      line
        .replace(/#.*$/, "")
        .trim()
        .split(/ +/)
        .slice(2)
        .map((word) => word.replace(/^(\S+\/)\S+$/, `$1${objectName}`));
    const issued = (await keyWorld.runKey(argv(create))) as { webhookApiKey: string; webhookUrl: string };
    // The clock of the replica stands still, and a signature may be of now.
    replica.clock.run();

    await bodies[name]?.(join(folder, "body.json"));
    const URL = issued.webhookUrl.replace("https://hooks.example.com", replica.url);
    const env = { PATH: process.env.PATH, URL, SECRET: issued.webhookApiKey };
    const send = async (): Promise<unknown> => {
      const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", page.send], { cwd: folder, env });
      return JSON.parse(stdout);
    };
    expect(await send()).toEqual(page.answer);
    expect(await send()).toEqual(receipt(0, 1));
    await expect(
      promisify(execFile)("bash", ["-euo", "pipefail", "-c", page.send], {
        cwd: folder,
        env: { ...env, SECRET: "wrong" },
      }),
    ).rejects.toMatchObject({ stdout: expect.stringContaining('{"error":') as string });
    expect(await runsOf({ id: "", key: "", namespace, name: objectName, uid })).toHaveLength(1);

    const words = argv(explain).map((word) => (word === "body.json" ? join(folder, word) : word));
    const explained = await runPlugin([...words, "-o", "json", "--kubeconfig", testCluster().kubeconfig]);
    expect(JSON.parse(explained.out)).toMatchObject({ decision: "Duplicate" });
  });
});
