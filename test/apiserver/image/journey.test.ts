import { afterAll, beforeAll, expect, it } from "vitest";
import { ImageWorld } from "./world.ts";

let world: ImageWorld;
beforeAll(async () => {
  world = await ImageWorld.make();
});
afterAll(() => world.close());

const noncing = {
  ".runwright/setup.sh": [
    "nonce=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \\n')",
    'echo "$nonce" > ../nonce.txt',
    "mkdir -p ~/.cache && cp ../nonce.txt ~/.cache/nonce.txt",
    'echo "mode $RUNWRIGHT_BOOT_MODE ${IMAGE_BUILD_MODE:-no} ${SANDBOX_ID:-no-id}" > ../setup.txt',
  ].join("\n"),
  ".runwright/start.sh": 'echo "start $RUNWRIGHT_BOOT_MODE ${FROM_REPO_IMAGE:-no} $REPO_IMAGE_SHA" > ../start.txt',
  ".runwright/show.sh": "cat ../nonce.txt ~/.cache/nonce.txt ../setup.txt ../start.txt new.txt",
};

it("has two sessions begin with what setup.sh made once, and with the commit that was pushed since", async () => {
  await world.createRepository("shop", noncing);
  await world.createImage("shop", { repositoryRef: { name: "shop" } });
  const built = await world.untilImage("shop", "is there", ({ status }) => status?.image !== undefined);
  const { image } = built.status!;
  const pushed = await world.push("shop", "new.txt", "pushed after the build\n");
  expect(image!.commits).toEqual([{ repository: "shop", commit: expect.not.stringContaining(pushed) as string }]);

  const target = { repositoryRefs: [{ name: "shop" }] };
  const [first, second] = [await world.runSession("one", target), await world.runSession("two", target)];
  expect(first.session.status?.prebuiltImage).toMatchObject({
    name: "shop",
    reason: "Used",
    build: 1,
    digest: image!.digest,
  });
  expect(second.text).toBe(first.text);
  const [nonce, cached, setup, start, added] = first.text.split("\n");
  expect(nonce).toMatch(/^[0-9a-f]{32}$/);
  expect(cached).toBe(nonce);
  expect(setup).toBe("mode build true no-id");
  expect(start).toBe(`start repo_image true ${image!.commits[0]!.commit}`);
  expect(added).toBe("pushed after the build");
});
