import type { Model } from "./model.ts";
import type { DeliverStep } from "./steps.ts";
import type { World } from "./world.ts";

/** What a step acts on: the world, and what must be true of it. */
export interface Stage {
  world: World;
  model: Model;
}

/** A delivery with nothing special about it. */
export const plainDelivery: DeliverStep = {
  do: "deliver",
  replica: 0,
  key: undefined,
  matches: true,
  credential: "current",
  trouble: "none",
};
