import { Automation } from "./automation.ts";
import { DeliveryLog } from "./delivery-log.ts";
import { Environment } from "./environment.ts";
import type { Kind } from "./kind.ts";
import { PrebuiltImage } from "./prebuilt-image.ts";
import { Prompt } from "./prompt.ts";
import { Repository } from "./repository.ts";
import { Run } from "./run.ts";
import { SandboxClass } from "./sandbox-class.ts";
import { Session } from "./session.ts";
import { Skill } from "./skill.ts";

/** Every kind that is served, in alphabetical order. */
export const kinds: readonly Kind[] = [
  Automation,
  DeliveryLog,
  Environment,
  PrebuiltImage,
  Prompt,
  Repository,
  Run,
  SandboxClass,
  Session,
  Skill,
];
