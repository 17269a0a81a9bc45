import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { type Integration, imageLimits } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { makeCaller, ours } from "../../support/people-world.ts";
import { type GatewayWorld, openGatewayWorld } from "../../support/runtime-gateway.ts";
import type { SlackFile } from "../../support/slack-server.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { killAfterEachStep } from "./killing.ts";
import { ann, chosen, handled, makeSlackIntegration, mention, saidIn, subjectOf } from "./slack-world.ts";
import { type Connector, World } from "./world.ts";

let world: World;
let gateway: GatewayWorld;
let integration: Integration;
let asking: Integration;
let pictures = 0;
let places = 0;

beforeAll(async () => {
  world = await World.make();
  gateway = await openGatewayWorld();
  const [authoritiesFile, tokenFile] = ["ca.pem", "token"].map((name) => join(gateway.world.directory, name));
  const token = await makeCaller(gateway.world, [ours("prompts", "create")], "everywhere");
  await writeFile(authoritiesFile!, gateway.world.ca);
  await writeFile(tokenFile!, token);
  world.gateway = { url: gateway.gateway.peopleUrl, authoritiesFile: authoritiesFile!, tokenFile: tokenFile! };
  integration = await makeSlackIntegration(world, {}, { access: { users: [ann] } });
  await world.makeRepository("web", "https://github.com/acme/web.git");
  asking = await makeSlackIntegration(world, { repositories: [{ name: "api" }, { name: "web" }] });
});
afterAll(async () => {
  await world.close();
  await gateway.close();
});
afterEach(() => {
  world.slack.fault = undefined;
  world.slack.after = undefined;
  expect(world.slack.leaked).toEqual([]);
});

/** A picture that no other is like. */
function png(bytes = 100): Buffer {
  pictures += 1;
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(bytes - 8, String(pictures))]);
}

const digestOf = (content: Buffer): string => `sha256:${createHash("sha256").update(content).digest("hex")}`;
const nextChannel = (): string => `C0I${(places += 1)}`;

/** A mention with files in a channel of its own; gives what came of it. */
async function ask(text: string, files: SlackFile[], rest: { of?: Integration; root?: string; extra?: object } = {}) {
  const { of = integration, root: before, extra = {} } = rest;
  const { event, root } = mention(world, text, { root: before, extra: { files, ...extra } });
  const settled = await handled(world, of, event);
  const { sessions, prompts } = await world.work(subjectOf(root));
  return { settled, root, sessions, prompts, images: prompts.at(-1)?.spec.images ?? [] };
}

const noteIn = async (root: string): Promise<string> => {
  const note = () => saidIn(world, root).find(({ text }) => text.startsWith("Images that are left out"));
  await until("it says what is left out", () => note() !== undefined);
  return note()!.text;
};

describe("images of a request", () => {
  beforeAll(async () => {
    await world.startConnector();
  });

  it("become images of the first prompt, whose bytes the gateway has", async () => {
    const content = png();
    const { images, sessions, root, prompts } = await ask("what is this?", [world.slack.upload(content)]);
    const digest = digestOf(content);
    expect(images).toEqual([
      { digest, mediaType: "image/png", fileName: expect.stringMatching(/^picture-/) as string },
    ]);
    const uid = sessions[0]?.metadata.uid ?? "";
    const file = join(gateway.world.blobDirectory, uid, "images", `${digest.slice("sha256:".length)}.png`);
    expect(await readFile(file)).toEqual(content);
    expect(prompts[0]?.spec.text).toContain("]: what is this?");
    expect(saidIn(world, root).some(({ text }) => text.startsWith("Images that"))).toBe(false);
  });

  it("become images of a follow-up", async () => {
    const { root } = await ask("fix it", []);
    const content = png();
    const { images, settled } = await ask("as here", [world.slack.upload(content)], { root });
    expect(settled.status).toMatchObject({ steered: 1 });
    expect(images.map(({ digest }) => digest)).toEqual([digestOf(content)]);
  });

  it("stand for the text of a request without one", async () => {
    const { prompts, images } = await ask("", [world.slack.upload(png())]);
    expect([images.length, prompts[0]?.spec.text]).toEqual([
      1,
      expect.stringContaining("Work on the attached images."),
    ]);
  });

  it("of forwarded messages come after its own, a forwarded message without text is named", async () => {
    const [own, forwarded] = [png(), png()];
    const attachments = [{ is_share: true, text: "", files: [world.slack.upload(forwarded)] }];
    const { images, prompts } = await ask("", [world.slack.upload(own)], { extra: { attachments } });
    expect(images.map(({ digest }) => digest)).toEqual([own, forwarded].map(digestOf));
    expect(prompts[0]?.spec.text).toContain("(no text)");
    expect(prompts[0]?.spec.text).toContain("Work on the forwarded messages above.");
  });
});

describe("of the images of a request", () => {
  it("the first 6 of 7 are taken, and the person reads of the seventh", async () => {
    const all = Array.from({ length: 7 }, () => png());
    const { images, root } = await ask(
      "look",
      all.map((one) => world.slack.upload(one)),
    );
    expect(images.map(({ digest }) => digest)).toEqual(all.slice(0, 6).map(digestOf));
    expect(await noteIn(root)).toBe("Images that are left out: 1 over the 6 that a request may have.");
  });

  it("5 are left of 7 the second of which has 11 MiB", async () => {
    const files = Array.from({ length: 7 }, (_, index) =>
      world.slack.upload(png(), index === 1 ? { size: 11 * 1_048_576 } : {}),
    );
    expect((await ask("look", files)).images).toHaveLength(5);
  });

  it.each([
    { bytes: imageLimits.bytes, said: imageLimits.bytes, want: 1 },
    { bytes: imageLimits.bytes + 1, said: imageLimits.bytes + 1, want: 0 },
    { bytes: 2 * imageLimits.bytes, said: 1_024, want: 0 },
  ])("one of $bytes bytes of which Slack says $said: $want", async ({ bytes, said, want }) => {
    const { images, root } = await ask("look", [world.slack.upload(png(bytes), { size: said })]);
    expect(images).toHaveLength(want);
    if (want === 0) expect(await noteIn(root)).toBe("Images that are left out: 1 larger than 10 MiB.");
  });

  it.each(["http://slack.com.evil.example/a.png", "https://evil.example/a.png", "ftp://127.0.0.1/a.png"])(
    "one at %s is left out, and the token is not sent",
    async (url) => {
      const said = { url_private: url, url_private_download: url };
      const { images, root } = await ask("look", [world.slack.upload(png(), said)]);
      expect(images).toEqual([]);
      expect(await noteIn(root)).toBe("Images that are left out: 1 not stored in Slack.");
    },
  );

  it.each(["application/pdf", "image/svg+xml"])("a PNG is taken beside %s, and nothing is said", async (mimetype) => {
    const files = [world.slack.upload(png(), { mimetype }), world.slack.upload(png())];
    const { images, root } = await ask("look", files);
    expect(images).toHaveLength(1);
    expect(saidIn(world, root).some(({ text }) => text.startsWith("Images that"))).toBe(false);
  });

  it("an empty one is lost", async () => {
    const { root } = await ask("look", [world.slack.upload(Buffer.alloc(0))]);
    expect(await noteIn(root)).toContain("1 whose content is no PNG");
  });

  it.each(["html", "redirect"] as const)(
    "one for which Slack gives %s is lost, and no redirect is followed",
    async (fault) => {
      world.slack.fault = (method) => (method === "files" ? fault : undefined);
      const { root, sessions } = await ask("look", [world.slack.upload(png())]);
      expect(sessions).toHaveLength(1);
      expect(await noteIn(root)).toContain("1 that Slack did not give");
    },
  );

  it("one is waited for while Slack is away", async () => {
    let failures = 2;
    world.slack.fault = (method) => (method === "files" && failures-- > 0 ? "error" : undefined);
    expect((await ask("look", [world.slack.upload(png())])).images).toHaveLength(1);
  });
});

describe("a request of nothing but images that cannot be had", () => {
  it("starts nothing, and the person reads why", async () => {
    const { sessions, settled, root } = await ask("", [world.slack.upload(Buffer.from("no image"))]);
    expect(sessions).toEqual([]);
    expect(conditionOf(settled, "Succeeded")).toMatchObject({ reason: "NothingToDo" });
    expect(await noteIn(root)).toContain("Nothing is left to work on");
  });

  it("starts nothing after a choice either, and can be chosen again", async () => {
    const { root } = await ask("", [world.slack.upload(png())], { of: asking });
    await until("it asks", () => saidIn(world, root).length === 1);
    const [question] = saidIn(world, root);
    world.slack.fault = (method) => (method === "files" ? "html" : undefined);
    const refused = await chosen(world, asking, question!, "repository/web");
    expect(conditionOf(refused, "Succeeded")).toMatchObject({ reason: "ChoiceRefused" });
    expect((await world.work(subjectOf(root))).sessions).toEqual([]);
    world.slack.fault = undefined;
    expect((await chosen(world, asking, question!, "repository/web")).status).toMatchObject({ triggered: 1 });
    expect((await world.work(subjectOf(root))).prompts[0]?.spec.images).toHaveLength(1);
  });
});

it("a connector that is killed after any step leaves one prompt with its images, and one note", async () => {
  for (const one of world.connectors.splice(0)) await one.close();
  const watch = (connector: Connector, onStep: () => void): void => {
    connector.proxy.decide(({ isWrite, path }) =>
      isWrite && !path.includes("/leases") ? { kind: "between", run: onStep } : undefined,
    );
    world.slack.after = (_method, caller) => {
      if (caller === connector.name) onStep();
    };
  };
  const content = png();
  const act = async () => {
    const place = nextChannel();
    const files = [world.slack.upload(content), world.slack.upload(Buffer.from("no image"))];
    const { event, root } = mention(world, "look", { channel: place, extra: { files } });
    await handled(world, integration, event);
    const posts = async () => (await world.conversation(subjectOf(root, place)))?.status?.posts ?? [];
    await until("the note is sent", async () =>
      (await posts()).some(({ kind, progress }) => kind === "ImageNote" && progress === "Sent"),
    );
    await until("the first message is sent", async () =>
      (await posts()).some(({ kind, progress }) => kind === "Started" && progress === "Sent"),
    );
    const { prompts } = await world.work(subjectOf(root, place));
    const notes = saidIn(world, root, place).filter(({ text }) => text.startsWith("Images that"));
    return { images: prompts.map(({ spec }) => spec.images?.map(({ digest }) => digest)), notes: notes.length };
  };
  const want = { images: [[digestOf(content)]], notes: 1 };
  (await killAfterEachStep(world, { watch, act, want, least: 10 })).kill();
});
