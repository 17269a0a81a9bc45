import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PrebuiltImage, Repository, scopeLabels } from "../../../src/api/v1alpha1/index.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { eventually } from "../../support/runtime-world.ts";
import { ImageWorld } from "./world.ts";

let world: ImageWorld;
beforeAll(async () => {
  world = await ImageWorld.make();
});
afterAll(() => world.close());

const counting = {
  ".runwright/setup.sh": 'date +%N > ../nonce.txt; echo "${TOKEN:-none}" > ../token.txt',
  ".runwright/show.sh": "cat ../nonce.txt ../token.txt",
};
const on = (name: string) => ({ repositoryRefs: [{ name }] });
const hasImage = ({ status }: PrebuiltImage): boolean => status?.image !== undefined && !status.build;
const built = (name: string): Promise<PrebuiltImage> => world.untilImage(name, "is built", hasImage);

/** A Repository with these files and its image. */
async function anImage(name: string, files: Record<string, string> = counting, spec: object = {}): Promise<void> {
  await world.createRepository(name, files, spec);
  await world.createImage(name, { repositoryRef: { name } });
}

it("writes at most 8 times for a check that finds nothing, and at most 12 for a build", async () => {
  const start = world.proxy.seen.length;
  await anImage("thrifty");
  const image = await built("thrifty");
  const cleaned = (): Promise<true | undefined> => world.leftOf(image).then((left) => left.length === 0 || undefined);
  await eventually("pod and bundle are deleted", cleaned);
  // Beside these, the namespace's policies and the key of hashes are made once.
  const ofBuild = world.writesSince(start, image).filter((write) => !write.includes("networkpolicies"));
  const key = 1;
  expect(ofBuild.length - key, ofBuild.join(", ")).toBeLessThanOrEqual(12);

  await world.look("thrifty");
  const checking = world.proxy.seen.length;
  const checked = await world.untilImage(
    "thrifty",
    "was checked",
    ({ status }) => status?.sandbox?.attempt === 2 && !status.build,
  );
  await eventually("pod and bundle are deleted", cleaned);
  // The first one says that it is no longer suspended.
  const [resumed, ...ofCheck] = world.writesSince(checking, image);
  expect(resumed).toBe("PATCH prebuiltimages/status");
  expect(ofCheck.length, ofCheck.join(", ")).toBeLessThanOrEqual(8);
  expect(checked.status?.image).toEqual(image.status?.image);
  expect(checked.status?.builds).toHaveLength(1);
  expect(Date.parse(checked.status?.nextCheckTime ?? "")).toBeGreaterThan(Date.now());
  expect(conditionOf(checked, "Ready")).toMatchObject({ status: "True", reason: "Built" });

  await world.push("thrifty", "new.txt", "new");
  await world.look("thrifty");
  const next = await world.untilImage("thrifty", "has the new commit", ({ status }) => status?.image?.build === 3);
  expect(next.status).toMatchObject({
    previous: { build: 1 },
    builds: [{ number: 3, reason: "NewCommits" }, { number: 1 }],
  });
});

it("makes one build of twenty requests", async () => {
  await anImage("popular");
  await built("popular");
  for (let index = 0; index < 20; index += 1) await world.requestBuild("popular", String(index));
  const image = await world.untilImage("popular", "has counted the last", ({ status }) => {
    return status?.rebuildRequestedAt === "19" && !status.build;
  });
  expect(image.status?.builds?.length).toBeLessThanOrEqual(3);
  expect(image.status?.builds?.every(({ result }) => result === "Ready")).toBe(true);
});

it("says why a build failed, keeps the image before it, and does not build the same again", async () => {
  const files = { ".runwright/setup.sh": "echo 'npm: no such package' >&2; exit 3" };
  await anImage("broken", files);
  const image = await world.untilImage("broken", "has failed", ({ status }) => status?.failures !== undefined);
  expect(conditionOf(image, "BuildFailed")).toMatchObject({ status: "True", reason: "SetupFailed" });
  expect(image.status?.failures?.message).toBe(
    "setup.sh of repository broken exited with status 3: npm: no such package",
  );
  expect(Date.parse(image.status!.failures!.retryTime) - Date.parse(image.status!.sandbox!.endTime!)).toBe(1_800_000);
  await world.look("broken");
  const checked = await world.untilImage(
    "broken",
    "was checked",
    ({ status }) => status?.sandbox?.attempt === 2 && !status.build,
  );
  expect(checked.status?.failures?.count).toBe(1);
  const { session } = await world.runSession("unlucky", on("broken"));
  expect(session.status?.prebuiltImage).toMatchObject({ reason: "NoImage" });
});

it("ends clone and setup.sh at their time, naming the hook", async () => {
  // The clone takes seconds where the machine is busy.
  const settings = { buildTimeoutSeconds: 30 };
  await anImage("slow", { ".runwright/setup.sh": "sleep 300" }, { settings });
  const image = await world.untilImage("slow", "has failed", ({ status }) => status?.failures !== undefined);
  expect(image.status?.failures).toMatchObject({
    reason: "BuildTimeout",
    message: "clone and setup.sh did not end within 30 s; it was running setup.sh of repository slow",
  });
});

it("never shows a session the secrets that an image was built with before they changed", async () => {
  const metadata = { labels: scopeLabels("repository", "secretive") };
  await world.createSecret("secretive", { TOKEN: "first" }, metadata);
  await anImage("secretive", counting, { secretRef: { name: "secretive" } });
  const image = await built("secretive");
  const used = await world.runSession("before", on("secretive"));
  expect(used.text.split("\n")[1]).toBe("first");
  const encoded = Buffer.from("second").toString("base64");
  await world.client.patch(secrets, world.named("secretive"), { data: { TOKEN: encoded } });
  const fresh = await world.runSession("after", on("secretive"));
  expect(fresh.session.status?.prebuiltImage).toMatchObject({ reason: "SecretsChanged", build: 1 });
  expect(fresh.text.split("\n")[1]).toBe("second");
  // The session's finding has it built anew.
  await world.untilImage(
    "secretive",
    "is built anew",
    ({ status }) => (status?.image?.build ?? 0) > image.status!.image!.build,
  );
  expect((await world.runSession("later", on("secretive"))).session.status?.prebuiltImage).toMatchObject({
    reason: "Used",
  });
});

it("throws a build away whose secrets change while it runs, and builds again", async () => {
  await world.createSecret("racing", { TOKEN: "first" }, { labels: scopeLabels("repository", "racing") });
  const setup = 'echo "$TOKEN" > ../token.txt; [ "$TOKEN" = second ] || until [ -e ../go ]; do sleep 0.1; done';
  const files = { ".runwright/setup.sh": setup, ".runwright/show.sh": "cat ../token.txt" };
  await anImage("racing", files, { secretRef: { name: "racing" } });
  const pod = await world.untilImage("racing", "builds", ({ status }) => status?.build !== undefined);
  const podName = pod.status!.sandbox!.podName;
  const workspace = await eventually("setup.sh runs", async () => {
    const found = world.kubelet.processes.get(podName)?.workspace;
    return found !== undefined && (await readdir(found)).includes("token.txt") ? found : undefined;
  });
  await world.client.patch(secrets, world.named("racing"), {
    data: { TOKEN: Buffer.from("second").toString("base64") },
  });
  await writeFile(join(workspace, "go"), "");
  const image = await built("racing");
  expect(image.status?.builds).toMatchObject([
    { number: 2, result: "Ready" },
    { number: 1, result: "Superseded", reason: "SecretsChanged" },
  ]);
  expect((await world.runSession("racer", on("racing"))).text).toBe("second");
});

it("names the files that hold values of secrets, and no value", async () => {
  const value = "planted-value-of-32-characters-0";
  await world.createSecret(
    "leaky",
    { TOKEN: value, SHORT: "fifteen-letters" },
    { labels: scopeLabels("repository", "leaky") },
  );
  const setup =
    'mkdir -p ~/.config; echo "x${TOKEN}y" > ~/.config/token; echo "$SHORT" > short.txt; echo "$TOKEN" > .env';
  await anImage("leaky", { ".runwright/setup.sh": setup }, { secretRef: { name: "leaky" } });
  const image = await built("leaky");
  const condition = conditionOf(image, "SecretsInImage");
  expect(condition).toMatchObject({ status: "True", reason: "SecretsFound" });
  expect(condition?.message).toBe("values of secrets are in leaky/.env, ~/.config/token");
  expect(JSON.stringify(image)).not.toContain(value);
});

it("builds the older of two of one scope and class, and the younger once that one is gone", async () => {
  await anImage("twin");
  await built("twin");
  await world.createImage("twin-2", { repositoryRef: { name: "twin" } });
  const second = await world.untilImage("twin-2", "is judged", (one) => conditionOf(one, "Ready") !== undefined);
  expect(conditionOf(second, "Ready")).toMatchObject({ status: "False", reason: "DuplicateScope" });
  await world.client.delete(PrebuiltImage, world.named("twin"));
  await built("twin-2");
});

it("follows spec.prebuild of a Repository", async () => {
  await world.createRepository("asked", counting, {
    prebuild: { sandboxClassName: world.namespace, serviceAccountName: "runner" },
  });
  const image = await eventually("the image is built", async () => {
    const { items } = await world.client.list(PrebuiltImage, { namespace: world.namespace });
    return items.find((one) => one.spec.repositoryRef?.name === "asked" && hasImage(one));
  });
  expect(image.metadata.ownerReferences).toMatchObject([{ kind: "Repository", name: "asked", controller: true }]);
  await world.client.patch(Repository, world.named("asked"), { spec: { prebuild: null } });
  await eventually("it is gone", async () => {
    return (await world.client.find(PrebuiltImage, keyOf(image))) === undefined || undefined;
  });
});

it("waits for a class, and says what is missing", async () => {
  await world.createRepository("waiting", counting);
  await world.createImage("waiting", {
    repositoryRef: { name: "waiting" },
    sandboxClassName: `${world.namespace}-later`,
  });
  const image = await world.untilImage("waiting", "is judged", (one) => conditionOf(one, "Stalled") !== undefined);
  expect(conditionOf(image, "Ready")).toMatchObject({ status: "False", reason: "SandboxClassNotFound" });
  await world.createClass(`${world.namespace}-later`);
  await built("waiting");
});

it("ends a setup.sh that prints without end and leaves processes behind, while another image is built", async () => {
  const flood = "(while :; do sleep 1; done) &\n(yes from-behind) &\nyes flood";
  await anImage("flood", { ".runwright/setup.sh": flood }, { settings: { buildTimeoutSeconds: 20 } });
  await anImage("calm");
  await built("calm");
  const image = await world.untilImage("flood", "has failed", ({ status }) => status?.failures !== undefined);
  expect(image.status?.failures?.reason).toBe("BuildTimeout");
  expect(image.status?.failures?.message).toContain("it was running setup.sh of repository flood");
});

it("serves no image of a Repository that is gone, and builds that of another one of its name", async () => {
  await anImage("renewed");
  const { status } = await built("renewed");
  const { spec } = await world.client.get(Repository, world.named("renewed"));
  await world.client.delete(Repository, world.named("renewed"));
  const image = await world.untilImage("renewed", "says so", (one) => conditionOf(one, "Ready")?.status === "False");
  expect(conditionOf(image, "Ready")).toMatchObject({ reason: "RepositoryNotFound" });
  expect(conditionOf(image, "Stalled")?.message).toContain("Repository");
  await world.client.create(Repository, { metadata: world.named("renewed"), spec });
  const again = await world.untilImage("renewed", "is built anew", (one) => (one.status?.image?.build ?? 0) > 1);
  expect(again.status?.image?.fingerprint).not.toBe(status?.image?.fingerprint);
});

it("writes once for each of 200 images that cannot be built, and no more", async () => {
  const start = world.proxy.seen.length;
  const names = Array.from({ length: 200 }, (_, index) => `none-${String(index)}`);
  for (const name of names) await world.createImage(name, { repositoryRef: { name } });
  const judged = async (): Promise<true | undefined> => {
    const { items } = await world.client.list(PrebuiltImage, { namespace: world.namespace });
    const ofThese = items.filter(({ metadata }) => metadata.name?.startsWith("none-"));
    return ofThese.every((one) => conditionOf(one, "Stalled") !== undefined) || undefined;
  };
  await eventually("all are judged", judged);
  // A change that concerns all images of the namespace has each looked at once more.
  await world.createRepository("bystander", counting);
  await anImage("last");
  await built("last");
  const writes = world.proxy.seen.slice(start).filter(({ isWrite, path }) => isWrite && path.includes("/none-"));
  expect(writes).toHaveLength(200);
});
