import { constants, setPriority } from "node:os";

import { attacks } from "./attacks.ts";
import type { AttackName } from "./attack-names.ts";
import { evenly } from "./lanes.ts";
import { rawObject } from "./raw.ts";
import { Scene, type SceneOptions } from "./scene.ts";

/** What the bench asks this process to do; each is answered by how many requests it came to. */
export type Order = { do: "attack"; seconds: number } | { do: "raw"; seconds: number; count: number } | { do: "clear" };

// A process of its own, so that its work delays no measurement: attacker.ts ATTACK OPTIONS
const [name = "", options = "{}"] = process.argv.slice(2);
// An attacker has a machine of its own; here it takes what the processes that are measured leave.
setPriority(constants.priority.PRIORITY_LOW);
const attack = attacks[name as AttackName];
const scene = await Scene.open(JSON.parse(options) as SceneOptions);
await attack.prepare?.(scene);
process.send?.(0);
process.on("message", (order: Order) => {
  carryOut(order).then(
    (count) => process.send?.(count),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function carryOut(order: Order): Promise<number> {
  switch (order.do) {
    case "attack":
      return attack.run(scene, order.seconds);
    case "raw":
      return evenly(order.count, { seconds: order.seconds, most: 64 }, () => attack.raw?.(scene) ?? rawObject(scene));
    case "clear":
      await scene.clear();
      return 0;
  }
}
