import { z } from "zod";
import { plainText } from "../../../api/runtime/text.ts";

/** Characters that are shown. */
const longest = 300;

const LogLine = z.object({ message: z.string(), reason: z.string().optional(), code: z.string().optional() });
/** Lines of what starts our program, which quote nobody's text. */
const ofStarters =
  /^(?:FATAL ERROR: |exec \S+: |node: |tini: |\[FATAL tini|(?:\/bin\/)?sh: |\/usr\/local\/bin\/runwright-sandbox: |Error: Cannot find module |standard_init_linux)/;

/**
 * The last line that a container of ours wrote before it failed, from its termination message; undefined without one. Only our own log
 * lines and those of what starts our program count: any other may quote text of people.
 */
export function lastWords(message: string | undefined): string | undefined {
  const lines = plainText(message ?? "", message?.length ?? 0).split("\n");
  const known = lines.flatMap((line) => readLine(line.trim()) ?? []);
  const last = known.at(-1);
  return last === undefined ? undefined : plainText(last, longest);
}

function readLine(line: string): string | undefined {
  if (ofStarters.test(line)) return line;
  const { data } = LogLine.safeParse(parsed(line));
  if (!data) return undefined;
  const why = data.reason ?? data.code;
  return why === undefined ? data.message : `${data.message}: ${why}`;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
