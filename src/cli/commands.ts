import type { Command } from "./command.ts";
import { keyCurl } from "./key-curl.ts";
import { keyCreate, keyRegenerate } from "./key-issue.ts";

/** All that `kubectl runwright` can do, in the order of its help. */
export const commands: readonly Command[] = [keyCreate, keyRegenerate, keyCurl];
