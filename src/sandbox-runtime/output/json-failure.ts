import { z } from "zod";

const Failure = z.object({ error: z.object({ message: z.string() }) });
/** Lines at which such an object may begin that are tried, from the last on. */
const mostTries = 16;

/** What went wrong, where the last lines are a JSON object with `error.message`, as those of Gemini CLI. Undefined for all else. */
export function jsonFailure(lines: readonly string[]): string | undefined {
  if (lines.at(-1)?.endsWith("}") !== true) return undefined;
  const begins = lines.flatMap((line, index) => (line.startsWith("{") ? [index] : [])).slice(-mostTries);
  for (const begin of begins.reverse()) {
    const message = messageOf(lines.slice(begin).join("\n"));
    if (message !== undefined) return message;
  }
  return undefined;
}

function messageOf(text: string): string | undefined {
  try {
    return Failure.safeParse(JSON.parse(text)).data?.error.message;
  } catch {
    return undefined;
  }
}
