import { join } from "node:path";
import type { Bundle, BundleRepository } from "../api/runtime/bundle.ts";
import type { SandboxEvent } from "../api/runtime/messages.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { PushWatch } from "./git/push-watch.ts";
import type { SkillClient } from "./gateway/skill-client.ts";
import type { ImageSource } from "./gateway/image-client.ts";
import type { AgentChannel } from "./local/agent-channel.ts";
import type { MediaStore } from "./media/media-client.ts";
import type { RuntimeLog } from "./log.ts";
import type { BootMode } from "./boot/environment.ts";
import type { CostMeter } from "./conversation/cost-meter.ts";
import type { TunnelUrls } from "./tunnels/tunnel-urls.ts";

/** What boot and prompts work with. */
export interface WorkContext {
  bundle: Bundle;
  agent: Pick<AgentChannel, "run" | "write" | "writeFile" | "introduction" | "isClosed">;
  clock: Clock;
  random: Random;
  log: RuntimeLog;
  publish: (event: SandboxEvent) => void;
  /** Values to redact; grows with each credential that is minted. */
  secrets: readonly string[];
  /** Shared with the agent's container. */
  socketDirectory: string;
  mode: BootMode;
  tunnels: Pick<TunnelUrls, "wait">;
  /** What git pushes in the agent's container. */
  pushWatch: Pick<PushWatch, "take">;
  costs: CostMeter;
  /** Images of prompts. */
  images: ImageSource;
  /** Where files go that the agent attaches to its answers. */
  media: MediaStore;
  /** The session's skills. */
  skills: Pick<SkillClient, "read">;
  /** Where they are written; shared with the agent's container, which only reads it. */
  skillsDirectory: string;
  /** Environment of hooks and agent; holds each tunnel URL from the moment it is known. */
  environment: Readonly<Record<string, string>>;
}

/** Where a repository is checked out. */
export function checkoutOf({ agent }: Pick<WorkContext, "agent">, { name }: BundleRepository): string {
  return join(agent.introduction.workspace, name);
}

/** Where the agent works: in the primary repository, or in the empty workspace. */
export function workingDirectory(context: Pick<WorkContext, "agent" | "bundle">): string {
  const primary = context.bundle.repositories[0];
  return primary ? checkoutOf(context, primary) : context.agent.introduction.workspace;
}
