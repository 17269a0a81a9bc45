import type { Integration } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { ann, envelope, sendSlack } from "./slack-world.ts";
import type { World } from "./world.ts";

/** What Slack sends when a person opens the Home tab: with the view that the person sees, once there is one. */
export function homeOpened(world: World, user = ann, change: object = {}): object {
  const seen = world.slack.homes.views.get(user);
  return envelope(world, {
    type: "app_home_opened",
    user,
    channel: "D0ANN",
    tab: "home",
    event_ts: "1767225600.000100",
    ...(seen && { view: { id: "V1", type: "home", hash: seen.hash, blocks: seen.blocks } }),
    ...change,
  });
}

/** Waits until no event of the Integration's waits. */
export async function untilShown(world: World, integration: Integration): Promise<void> {
  await until("no opened home waits", async () =>
    (await world.events(integration)).every(({ spec }) => spec.slack?.action !== "HomeOpened"),
  );
}

/** Opens the Home tab, and gives what the person reads then. */
export async function openHome(world: World, integration: Integration, user = ann): Promise<string> {
  const { status, body } = await sendSlack(world, integration, homeOpened(world, user));
  if (status !== 200) throw new Error(`the ingress answered ${status}: ${JSON.stringify(body)}`);
  await untilShown(world, integration);
  return readHome(world, user);
}

/** What a person reads in the Home tab; empty where there is no view. */
export function readHome(world: World, user = ann): string {
  const { blocks = [] } = world.slack.homes.views.get(user) ?? {};
  const texts = blocks.map((block) => ("text" in block && typeof block.text === "object" ? block.text.text : ""));
  return texts.join("\n");
}
