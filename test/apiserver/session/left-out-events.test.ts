import { afterEach, beforeEach, expect, it } from "vitest";

import { annotations, type Session } from "../../../src/api/v1alpha1/index.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
});
afterEach(() => world.close());

const namespaceUsed = { bound: "namespace", message: "2 of 2 GiB (gateway.blobStore.budgets.events.namespace)" };
const allUsed = { bound: "total", message: "8 of 8 GiB (gateway.blobStore.budgets.events.total)" };
const full = { bound: "session", message: "events have reached 64 MiB" };

/** What the gateway notes when it leaves events of the first sandbox out. */
function note(session: Session, leftOut: object): Promise<void> {
  return world.noteOnLease(session, 1, { [annotations.eventsLeftOut]: JSON.stringify(leftOut) });
}

const said = (session: Session): object | undefined => conditionOf(session, "EventsLeftOut");

it("says in a condition, by one write, that events were left out, and by which budget", async () => {
  const operator = await world.startOperator();
  const session = await world.createSession("fix", { idleTimeoutSeconds: 600 });
  await world.createPrompt(session, 1);
  await world.bringUp(session);
  await world.untilSession("fix", "at work", ({ currentPrompt }) => currentPrompt !== undefined);
  await world.rest(operator);
  expect(said(await world.session("fix"))).toBeUndefined();
  const reasonsOf: Record<string, string> = { session: "EventsFull" };
  for (const leftOut of [namespaceUsed, allUsed, full]) {
    const mark = operator.writes.length;
    await note(session, leftOut);
    const { bound, message } = leftOut;
    await world.until(`it names ${bound}`, async () => conditionNames(await world.session("fix"), message));
    expect(said(await world.session("fix"))).toMatchObject({
      status: "True",
      reason: reasonsOf[bound] ?? "EventsOverBudget",
      message,
    });
    await world.rest(operator);
    expect(operator.writes.slice(mark)).toEqual(["patch Session/status"]);
  }
});

it("keeps the condition when the sandbox is gone, and in the next one whose events are kept", async () => {
  await world.startOperator();
  const session = await world.createSession("fix", { idleTimeoutSeconds: 600 });
  await world.createPrompt(session, 1);
  await world.bringUp(session);
  await note(session, namespaceUsed);
  await world.until("it is said", async () => said(await world.session("fix")) !== undefined);
  const [pod] = await world.pods();
  await world.deletePod(pod!.metadata.name!);
  const lost = await world.untilSession("fix", "ended", ({ sandbox }) => sandbox?.endTime !== undefined);
  expect(said(lost)).toMatchObject({ status: "True", reason: "EventsOverBudget" });
  await world.createPrompt(session, 2);
  await world.bringUp(session, 2);
  expect(said(await world.session("fix"))).toMatchObject({ status: "True", message: namespaceUsed.message });
});

function conditionNames(session: Session, message: string): boolean {
  return conditionOf(session, "EventsLeftOut")?.message === message;
}
