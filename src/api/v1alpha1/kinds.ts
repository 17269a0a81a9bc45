import { Automation } from "./automation.ts";
import { Conversation } from "./conversation.ts";
import { DeliveryLog } from "./delivery-log.ts";
import { Environment } from "./environment.ts";
import { Integration } from "./integration.ts";
import { IntegrationEvent } from "./integration-event.ts";
import type { Kind } from "./kind.ts";
import { PrebuiltImage } from "./prebuilt-image.ts";
import { Prompt } from "./prompt.ts";
import { PullRequest } from "./pull-request.ts";
import { Repository } from "./repository.ts";
import { Run } from "./run.ts";
import { SandboxClass } from "./sandbox-class.ts";
import { SandboxPool } from "./sandbox-pool.ts";
import { Session } from "./session.ts";
import { Skill } from "./skill.ts";

/** Every kind that is served, in alphabetical order. */
export const kinds: readonly Kind[] = [
  Automation,
  Conversation,
  DeliveryLog,
  Environment,
  Integration,
  IntegrationEvent,
  PrebuiltImage,
  Prompt,
  PullRequest,
  Repository,
  Run,
  SandboxClass,
  SandboxPool,
  Session,
  Skill,
];
