import { z } from "zod";

const own = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** Of git's Trace2 events, as far as they tell of a push. The agent can write them, so they are not trusted. */
const TraceEvent = z.object({
  event: z.string(),
  argv: own(z.array(z.string()).max(256)),
  worktree: own(z.string().max(4_096)),
  name: own(z.string()),
  code: own(z.int()),
});

/** A `git push` that has ended. */
export interface EndedPush {
  worktree: string;
  /** What it was told to push, and where to. */
  args: readonly string[];
  succeeded: boolean;
}

/** Reads the events of one git process. */
export class PushTrace {
  #args: readonly string[] = [];
  #worktree: string | undefined;
  #isPush = false;

  /** Returns the push where it has ended, and `other` once it is known that the process is none. */
  take(line: string): EndedPush | "other" | undefined {
    const event = readEvent(line);
    return event && this.#takeEvent(event);
  }

  #takeEvent(event: z.infer<typeof TraceEvent>): EndedPush | "other" | undefined {
    switch (event.event) {
      case "start":
        this.#args = pushArguments(event.argv ?? []);
        return undefined;
      case "def_repo":
        this.#worktree ??= event.worktree;
        return undefined;
      case "cmd_name":
        this.#isPush = event.name === "push";
        return this.#isPush ? undefined : "other";
      case "exit":
        return this.#end(event.code);
      default:
        return undefined;
    }
  }

  #end(code: number | undefined): EndedPush | "other" {
    if (!this.#isPush || this.#worktree === undefined) return "other";
    return { worktree: this.#worktree, args: this.#args, succeeded: code === 0 };
  }
}

/** Options whose value is the next word, such as `-o ci.skip`. */
const withValue = /^(?:-[a-zA-Z]*o|--push-option|--receive-pack|--exec|--repo|--recurse-submodules)$/;
const deciding = /^(?:[^-]|-[fd]+$|--(?:force|force-with-lease|all|tags|delete)(?:=|$))/;

/** Remote, branches, and what decides whether the server takes them; a push under an alias is one without. */
function pushArguments(argv: readonly string[]): string[] {
  const at = argv.indexOf("push");
  const words = at < 0 ? [] : argv.slice(at + 1);
  const said = words.filter((_, index) => !withValue.test(words[index - 1] ?? ""));
  return said.map(withoutOthers).filter((word) => deciding.test(word));
}

/** Of short options in one word, such as `-uf`, those that decide; what stands behind an `o` is its value. */
function withoutOthers(word: string): string {
  return /^-[a-zA-Z]/.test(word) ? word.replace(/o.*$/, "").replace(/[^-fd]/g, "") : word;
}

function readEvent(line: string): z.infer<typeof TraceEvent> | undefined {
  try {
    return TraceEvent.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
