import { World } from "../apiserver/run/world.ts";
import { World as SessionWorld } from "../apiserver/session/world.ts";
import { testCluster } from "./cluster.ts";

/** The controllers that decide about Runs, at work in a namespace of their own. */
export interface DecidingControllers {
  readonly namespace: string;
  close(): Promise<void>;
}

/** Those that decide about Prompts, with a session that has one. */
export interface DecidingSessions extends DecidingControllers {
  readonly session: string;
  readonly prompt: string;
}

export async function startDecidingControllers(): Promise<DecidingControllers> {
  const world = await World.make(testCluster().kubeconfig);
  await world.startOperator();
  return { namespace: world.namespace, close: ticking(world) };
}

export async function startDecidingSessions(): Promise<DecidingSessions> {
  const world = await SessionWorld.make(testCluster().kubeconfig);
  await world.startOperator();
  const session = await world.createSession("fix");
  const prompt = await world.createPrompt(session, 1);
  const { name = "" } = prompt.metadata;
  return { namespace: world.namespace, session: "fix", prompt: name, close: ticking(world) };
}

/** Their time moves on, so that what they try again is tried. */
function ticking(world: World | SessionWorld): () => Promise<void> {
  const ticks = setInterval(() => world.clock.advance(100), 100);
  return async () => {
    clearInterval(ticks);
    await world.close();
  };
}
