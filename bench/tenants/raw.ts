import { configMaps } from "../../src/kube/core-resources.ts";
import type { Scene } from "./scene.ts";

const likeARun = "x".repeat(2_048);

/** Creates one object that no process of ours looks at. */
export function rawObject(scene: Scene, text = likeARun): Promise<unknown> {
  const metadata = { namespace: scene.options.namespace, name: scene.nextName() };
  return scene.client.create(configMaps, { metadata, data: { text } });
}
