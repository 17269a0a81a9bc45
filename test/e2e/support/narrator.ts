import type { Progress } from "../../../hack/lib/progress.ts";

/** Tells a person what happens, with the seconds since the start. */
export interface Narrator {
  /** A new step begins. */
  step(title: string): void;
  /** A detail of the step. */
  say: Progress;
  /** Text of something else, such as a test's output, indented. */
  show(text: string): void;
  /** Runs work that may take long and says every few seconds that it goes on; `detail` says what it waits for. */
  during<T>(what: string, work: () => Promise<T>, detail?: () => string): Promise<T>;
}

const tickMs = 5_000;

/** A narrator whose lines go to `write`, each with its newline. */
export function makeNarrator(write: (line: string) => void): Narrator {
  const startedMs = performance.now();
  const line = (text: string): void => {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1).padStart(6);
    write(`[${seconds}s] ${text}\n`);
  };
  return {
    step: (title) => {
      write("\n");
      line(`== ${title}`);
    },
    say: (text) => line(`   ${text}`),
    show: (text) => {
      for (const shown of text.trimEnd().split("\n")) write(`            | ${shown}\n`);
    },
    async during(what, work, detail) {
      const beganMs = performance.now();
      line(`   ${what} …`);
      const ticker = setInterval(() => {
        const seconds = Math.round((performance.now() - beganMs) / 1000);
        const more = detail?.() ?? "";
        line(`   ${what}: ${seconds} s${more === "" ? "" : `, ${more}`}`);
      }, tickMs);
      try {
        return await work();
      } finally {
        clearInterval(ticker);
      }
    },
  };
}
