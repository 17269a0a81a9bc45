/** One block of commands of a page, and what the page says that they print, if it says so. */
export interface TutorialStep {
  /** The heading that it stands under. */
  heading: string;
  commands: string;
  /** With `…` for what differs each time. */
  printed?: string;
}

const blocks = /^## (?<heading>.+)$|^```(?<language>sh|text)\n(?<body>[\s\S]*?)^```$/gm;

/** The steps of a page in Markdown, in order; throws where a page shows an output without a command. */
export function tutorialSteps(page: string): TutorialStep[] {
  const steps: TutorialStep[] = [];
  let heading = "";
  for (const { groups = {} } of page.matchAll(blocks)) {
    const { heading: next, language, body = "" } = groups;
    if (next !== undefined) heading = next;
    else if (language === "sh") steps.push({ heading, commands: body });
    else {
      const step = steps.at(-1);
      if (step === undefined || step.printed !== undefined) throw new Error(`no command for what is printed: ${body}`);
      step.printed = body;
    }
  }
  return steps;
}

/** The lines that a page shows and `actual` does not have, in order; blanks count as one, `…` stands for anything. */
export function missingLines(shown: string, actual: string): string[] {
  const lines = actual.split("\n").map(plain);
  let from = 0;
  return shown
    .split("\n")
    .filter((line) => line.trim() !== "" && line.trim() !== "…")
    .filter((line) => {
      const pattern = new RegExp(`^${plain(line).split("…").map(literal).join(".*")}$`);
      const at = lines.findIndex((candidate, index) => index >= from && pattern.test(candidate));
      if (at >= 0) from = at + 1;
      return at < 0;
    });
}

function plain(line: string): string {
  return line.trim().replaceAll(/\s+/g, " ");
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
