import type { Scene } from "./scene.ts";

export interface Attack {
  /** Before all rounds. */
  prepare?(scene: Scene): Promise<void>;
  /** Resolves with how many requests it came to, refused ones included. */
  run(scene: Scene, seconds: number): Promise<number>;
  /** One raw request to the API server, for the baseline; by default the create of an object as large as a Run. */
  raw?(scene: Scene): Promise<unknown>;
}
