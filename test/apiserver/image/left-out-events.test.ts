import { afterAll, beforeAll, expect, it } from "vitest";

import { type PrebuiltImage, Session } from "../../../src/api/v1alpha1/index.ts";
import { eventually } from "../../support/runtime-world.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { ImageWorld } from "./world.ts";

let world: ImageWorld;
beforeAll(async () => {
  world = await ImageWorld.make({ RUNWRIGHT_EVENT_BUDGET_NAMESPACE: "65536" });
});
afterAll(() => world.close());

/** Its setup.sh writes so many bytes, in lines of 100. */
const writing = (bytes: number): Record<string, string> => ({
  ".runwright/setup.sh": `head -c ${bytes} /dev/zero | tr '\\0' x | fold -w 99`,
  ".runwright/show.sh": "echo done",
});

async function built(name: string, isSo: (image: PrebuiltImage) => boolean = () => true): Promise<PrebuiltImage> {
  await world.createImage(name, { repositoryRef: { name } });
  return world.untilImage(name, "is built", (image) => {
    return image.status?.image !== undefined && !image.status.build && isSo(image);
  });
}

it("is said of a PrebuiltImage whose build writes more than its namespace may, and of the next Session there", async () => {
  await world.createRepository("quiet", writing(100));
  await world.createRepository("loud", writing(100_000));
  const isSaid = (image: PrebuiltImage): boolean => conditionOf(image, "EventsLeftOut") !== undefined;
  expect(isSaid(await built("quiet"))).toBe(false);
  const message = expect.stringMatching(/ KiB of 64 KiB: .*gateway\.blobStore\.budgets\.events\.namespace/) as string;
  const leftOut = { status: "True", reason: "EventsOverBudget", message };
  expect(conditionOf(await built("loud", isSaid), "EventsLeftOut")).toMatchObject(leftOut);

  const { session, text } = await world.runSession("worker", { repositoryRefs: [{ name: "quiet" }] });
  // What it did counts all the same.
  expect(text).toBe("done");
  const { namespace = "", name = "" } = session.metadata;
  const condition = await eventually("the Session says it", async () =>
    conditionOf(await world.client.get(Session, { namespace, name }), "EventsLeftOut"),
  );
  expect(condition).toMatchObject(leftOut);
});
